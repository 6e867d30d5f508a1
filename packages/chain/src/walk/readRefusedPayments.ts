import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import type { RemitState } from "@dueday/core/remit/state";
import { type Address, encodeFunctionData, type Hex, isHex, numberToHex, parseAbi } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { isExecutionFailure } from "../client/parseRpcAnswer";
import { RpcRefusal } from "../client/rpcOutcome";
import type { SubscriptionRecord } from "../reads/readSubscriptions";

const transferAbi = parseAbi(["function transferFrom(address from, address to, uint256 value)"]);
const TRANSFER_GAS = numberToHex(300_000);

export type RefusedPaymentsParameters = {
  contract: Address;
  account: Address;
  /** The plans to try, at most as many as one answer shows, with the decimals of their tokens. */
  plans: readonly { record: SubscriptionRecord; decimals: number }[];
  block: ChainBlock;
};

/**
 * The plans of which one payment would be refused now, tried as the contract would make it. Where allowance and balance are enough for
 * it, the token itself refuses: a blacklist, a pause or a policy, which no balance shows. Throws ServiceError UPSTREAM_*.
 */
export async function readRefusedPayments(
  client: ChainClient,
  { contract, account, plans, block }: RefusedPaymentsParameters,
): Promise<Set<Hex>> {
  const refused = await Promise.all(
    plans.map(async ({ record: { id, token, provider, amount }, decimals }) => {
      const args = [account, provider, toTokenUnits(amount, decimals)] as const;
      const data = encodeFunctionData({ abi: transferAbi, functionName: "transferFrom", args });
      return (await isRefused(client, { from: contract, to: token, data, gas: TRANSFER_GAS }, block)) ? [id] : [];
    }),
  );
  return new Set(refused.flat());
}

/** Whether an account holds and allows enough for one payment of a plan now. */
export function canPayNow({ tokens, subscriptions }: RemitState, id: Hex, account: Address): boolean {
  const subscription = subscriptions.get(id);
  const token = subscription && tokens.get(subscription.token);
  const holding = token?.holdings.get(account);
  if (subscription === undefined || token === undefined || holding === undefined) return false;
  const units = toTokenUnits(subscription.amount, token.decimals);
  return holding.allowance >= units && holding.balance >= units;
}

/** The protocol reverts where a transfer reverts, and where it returns something else than true. */
async function isRefused(client: ChainClient, call: object, block: ChainBlock): Promise<boolean> {
  try {
    const returned = await client.rpc("eth_call", [call, blockReference(block)]);
    return isHex(returned) && returned !== "0x" && BigInt(returned) !== 1n;
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (!isExecutionFailure(error)) throw explainRefusal(error);
    return true;
  }
}
