import { protocolAbi } from "@dueday/core/abi/protocol";
import { encodeApprove } from "@dueday/core/calldata/encodeApprove";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import {
  type CreateSubscriptionParameters,
  encodeCreateSubscription,
} from "@dueday/core/calldata/encodeCreateSubscription";
import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { encodeSubscribe } from "@dueday/core/calldata/encodeSubscribe";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import { type Address, encodeFunctionData, type Hex } from "viem";
import { adminAbi } from "../abi/adminAbi";
import { testTokenAbi } from "../abi/testTokenAbi";
import type { DevnetClient } from "../client";
import { onlyId } from "../onlyId";
import { send } from "../send";

/** A contract on a devnet and its admin. */
export type Target = { client: DevnetClient; contract: Address; admin: Address };

/** The account at this index of a list of the node's accounts. */
export function accountAt(accounts: readonly Address[], index: number): Address {
  const account = accounts[index];
  if (!account) throw new Error(`the node has no account ${index}`);
  return account;
}

/** Approves a token for subscriptions. `minimum` has 18 decimals. */
export async function approveToken(target: Target, token: Address, decimals: number, minimum: bigint): Promise<void> {
  const args = [token, minimum, decimals] as const;
  const data = encodeFunctionData({ abi: adminAbi, functionName: "addERC20Contract", args });
  await send(target.client, { from: target.admin, to: target.contract, data });
}

export async function pauseToken(target: Target, token: Address): Promise<void> {
  const data = encodeFunctionData({ abi: adminAbi, functionName: "pauseToken", args: [token, true] });
  await send(target.client, { from: target.admin, to: target.contract, data });
}

/** Returns the id, which the contract derives from the provider and the block's time. */
export async function createSubscription(
  target: Target,
  provider: Address,
  subscription: CreateSubscriptionParameters,
): Promise<Hex> {
  const data = encodeCreateSubscription(subscription);
  const receipt = await send(target.client, { from: provider, to: target.contract, data });
  const id = receipt.logs[0]?.topics[1];
  if (!id) throw new Error("createSubscription emitted no event");
  return id;
}

/** Sets the balance and the allowance for the contract, in token units. Only the test token can do this. */
export async function fund(
  target: Target,
  token: Address,
  owner: Address,
  balance: bigint,
  allowed: bigint,
): Promise<void> {
  const args = [owner, target.contract, balance, allowed] as const;
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: "fund", args });
  await send(target.client, { from: target.admin, to: token, data });
}

export async function approve(target: Target, token: Address, owner: Address, amount: bigint): Promise<void> {
  await send(target.client, { from: owner, to: token, data: encodeApprove(target.contract, amount) });
}

export async function burn(target: Target, token: Address, owner: Address, amount: bigint): Promise<void> {
  const data = encodeFunctionData({ abi: testTokenAbi, functionName: "burn", args: [owner, amount] });
  await send(target.client, { from: owner, to: token, data });
}

export async function subscribe(target: Target, subscriber: Address, id: Hex): Promise<void> {
  await send(target.client, { from: subscriber, to: target.contract, data: encodeSubscribe(onlyId(id)) });
}

export async function unsubscribe(target: Target, subscriber: Address, id: Hex): Promise<void> {
  await send(target.client, { from: subscriber, to: target.contract, data: encodeUnsubscribe(onlyId(id)) });
}

export async function cancelSubscription(target: Target, provider: Address, id: Hex): Promise<void> {
  await send(target.client, { from: provider, to: target.contract, data: encodeCancelSubscription(onlyId(id)) });
}

/** Calls remit() until `day` is closed. Something must be due on that day, or the last call settles a later day or reverts. */
export async function remitThrough(target: Target, keeper: Address, day: number): Promise<void> {
  const { client, contract } = target;
  const open = () => client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" });
  while ((await open()) <= day) await send(client, { from: keeper, to: contract, data: encodeRemit() });
}

/** Moves the chain's clock by mining a block with this time; later blocks continue from it. */
export async function warpTo(target: Target, timestamp: number): Promise<void> {
  await target.client.setNextBlockTimestamp({ timestamp: BigInt(timestamp) });
  await target.client.mine({ blocks: 1 });
}
