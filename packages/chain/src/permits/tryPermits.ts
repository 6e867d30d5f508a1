import { erc20Abi } from "@dueday/core/abi/erc20";
import { encodePermit } from "@dueday/core/calldata/encodePermit";
import type { KeptPermit } from "@dueday/core/permit/permit";
import { type Address, decodeAbiParameters, encodeFunctionData, parseAbi, size } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { canSimulate } from "../simulate/canSimulate";
import { simulateCalls } from "../simulate/simulateCalls";
import { tryPermit } from "./tryPermit";

const transferFromAbi = parseAbi(["function transferFrom(address from, address to, uint256 value)"]);

/** Of one permit(): the check of a smart wallet may need more gas than that of a key's signature, but gets no more than this. */
export const PERMIT_GAS = 300_000n;
const READ_GAS = 100_000n;
const TRANSFER_GAS = 500_000n;
/** The largest number of receivers that are tried for each permit. */
const MOST_RECEIVERS = 6;

export type TryPermitsParameters<P> = {
  permits: readonly P[];
  /** Who would receive the owner's payments after a permit. */
  receiversOf(permit: P): readonly Address[];
  /** Who would submit the permits. */
  from: Address;
  block: ChainBlock;
};

/**
 * The permits that set exactly their allowances when `from` submits them one after another after `block`, and after which the owner's tokens
 * can be transferred: a transfer that the token refuses would revert remit() for everybody, where without the permit only a payment failed.
 * In one simulation; on a node without simulations by one eth_call for each permit alone, which tries no transfer. `permits` has at most one
 * for each owner and token. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function tryPermits<P extends KeptPermit>(
  client: ChainClient,
  { permits, receiversOf, from, block }: TryPermitsParameters<P>,
): Promise<P[]> {
  if (permits.length === 0) return [];
  if (!(await canSimulate(client, { block }))) {
    const trials = await Promise.all(
      permits.map((permit) => tryPermit(client, { token: permit.token, permit, data: encodePermit(permit), block })),
    );
    return permits.filter((_, index) => trials[index]?.works === true);
  }
  const trials = permits.map((permit) => [
    permitRequest(permit, from),
    allowanceRequest(permit, from),
    ...receiversOf(permit)
      .slice(0, MOST_RECEIVERS)
      .map((to) => transferRequest(permit, to)),
  ]);
  const results = await simulateCalls(client, { calls: trials.flat(), block });
  let next = 0;
  return permits.filter(({ value }, index) => {
    const own = results.slice(next, next + (trials[index]?.length ?? 0));
    next += own.length;
    const [, read] = own;
    if (read === undefined || own.some(({ success }) => !success) || size(read.returnData) < 32) return false;
    return decodeAbiParameters([{ type: "uint256" }], read.returnData)[0] === value;
  });
}

/** The call that submits a permit. */
export function permitRequest(permit: KeptPermit, from: Address) {
  return { from, to: permit.token, data: encodePermit(permit), gas: PERMIT_GAS };
}

function allowanceRequest({ token, owner, spender }: KeptPermit, from: Address) {
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "allowance", args: [owner, spender] });
  return { from, to: token, data, gas: READ_GAS };
}

/** A transfer of one unit, as the protocol would make it. */
function transferRequest({ token, owner, spender }: KeptPermit, to: Address) {
  const data = encodeFunctionData({ abi: transferFromAbi, functionName: "transferFrom", args: [owner, to, 1n] });
  return { from: spender, to: token, data, gas: TRANSFER_GAS };
}
