import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { parseRemitLogs } from "@dueday/core/remit/parseRemitLogs";
import type { Plan } from "@dueday/core/remit/plan";
import { type Address, encodeFunctionData, erc20Abi } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import type { SimulatedCall } from "../simulate/parseSimulation";
import { simulateCalls } from "../simulate/simulateCalls";

export type TryCallerParameters = {
  contract: Address;
  /** Who would call remit(). */
  from: Address;
  block: ChainBlock;
  /** What remit() does for `from` or for another caller: it shows which tokens are paid out. */
  plan: Plan;
};

export type CallerTrial = {
  /** The result of the caller's next remit(), with the gas limit that its transaction may have. */
  next: SimulatedCall;
  /**
   * All differences that there can be between two callers whose own tokens the plan does not move: what the next call does and costs, and the cost of a
   * payout in each token that only later calls pay. Equal texts mean equal plans. Null where a payout can't be tried.
   */
  kind: string | null;
};

const PAYOUT_GAS = 300_000n;

/** One request: the caller's next remit(), and after it a payout of one unit in each token that only later calls pay. Throws ServiceError UPSTREAM_*. */
export async function tryCaller(
  client: ChainClient,
  { contract, from, block, plan }: TryCallerParameters,
): Promise<CallerTrial> {
  const remit = { from, to: contract, data: encodeRemit(), gas: transactionGasLimit(client, block) };
  const args = [from, 1n] as const;
  const data = encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args });
  const payouts = tokensPaidLater(plan).map((token) => ({ from: contract, to: token, data, gas: PAYOUT_GAS }));
  const [next, ...paid] = await simulateCalls(client, { calls: [remit, ...payouts], block });
  if (next === undefined) throw new Error("a simulation has as many results as calls");
  const isPaid = paid.every(({ success }) => success);
  return { next, kind: isPaid ? textOf([next, ...paid], { contract, caller: from }) : null };
}

/** Tokens that only later calls pay to the caller: an account's first payout in a token costs more than its next. */
function tokensPaidLater({ transactions: [first, ...later] }: Plan): Address[] {
  const paidFirst = first?.callerFees.filter(({ units }) => units > 0n).map(({ token }) => token);
  const paidLater = later.flatMap(({ callerFees }) => callerFees.map(({ token }) => token));
  return [...new Set(paidLater)].filter((token) => paidFirst?.includes(token) !== true);
}

function textOf(calls: readonly SimulatedCall[], parties: { contract: Address; caller: Address }): string {
  const outcomes = calls.map(({ logs, ...outcome }) => ({ ...outcome, effects: parseRemitLogs(logs, parties) }));
  return JSON.stringify(outcomes, (_, value) => (typeof value === "bigint" ? String(value) : value));
}
