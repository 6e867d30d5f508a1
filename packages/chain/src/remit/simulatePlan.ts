import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import { parseRemitLogs, type RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Plan, PlannedTransaction } from "@dueday/core/remit/plan";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { RpcRefusal } from "../client/rpcOutcome";
import type { SimulatedCall } from "../simulate/parseSimulation";
import { requestSimulation } from "../simulate/simulateCalls";

export type SimulatePlanParameters = {
  contract: Address;
  /** Who would call: days, payments and failures do not depend on it, gas does. */
  from: Address;
  block: ChainBlock;
  /** The protocol's maxRemits: how much gas to give a call. Without it each call gets a whole block's. */
  maxRemits?: number;
  /** Transactions of the last plan: saves a second request where the plan is longer than usual. */
  expectedTransactions?: number;
};

/** A simulated plan, and the payments that its transactions handle. */
export type PlanSimulation = { plan: Plan; handled: RemitEffects["handled"] };

/** Transactions planned at most; the plan ends with `limit` beyond. */
export const PLAN_TRANSACTIONS_LIMIT = 500;

/** Payments simulated at most in one request: some 3 kB of logs each, of the 32 MiB that are read of an answer. */
const PAYMENTS_LIMIT = 5_000;
/** Payments that a call finds gas for at most, whatever maxRemits is. */
const PAYMENTS_OF_A_CALL = 400;

const METHOD_NOT_FOUND = -32601;
const FIRST_CALLS = 24;
const GROWTH = 4;
/** Gas of a call that charges nobody, a month of empty days included, and of one payment of a costly token: upper bounds. */
const CALL_GAS = 3_000_000n;
const PAYMENT_GAS = 250_000n;

/**
 * What remit(), called again and again by `from` on the state after `block`, would do: one request of eth_simulateV1 that
 * repeats it in one block until it reverts. The request is repeated with more calls where they do not suffice, and with fewer
 * where the node refuses so many; at the most calls possible the plan ends with `limit`. Throws ServiceError UPSTREAM_* where
 * the node fails or has no eth_simulateV1.
 */
export async function simulatePlan(client: ChainClient, parameters: SimulatePlanParameters): Promise<PlanSimulation> {
  const { block, maxRemits, expectedTransactions = 0 } = parameters;
  let most = mostCalls(maxRemits);
  let count = Math.min(Math.max(FIRST_CALLS, expectedTransactions + 2), most);
  let shorter: PlanSimulation | null = null;
  let gas = block.gasLimit;
  if (maxRemits !== undefined && CALL_GAS + BigInt(maxRemits) * PAYMENT_GAS < gas) {
    gas = CALL_GAS + BigInt(maxRemits) * PAYMENT_GAS;
  }
  for (;;) {
    let results: SimulatedCall[];
    try {
      results = await repeatRemit(client, parameters, count, gas);
    } catch (error) {
      // The node took fewer calls: the plan is known that far.
      if (shorter !== null) return shorter;
      if (!(error instanceof RpcRefusal) || count === 1) throw explainRefusal(error);
      if (error.code === METHOD_NOT_FOUND) throw noSimulation();
      // The node allows less for one request: some add up the gas limits of all calls and compare with a block's.
      const fitting = Number(block.gasLimit / gas);
      most = fitting >= 1 && fitting < count ? fitting : Math.floor(count / 2);
      count = most;
      continue;
    }
    const simulation = readPlan(results, parameters);
    const { plan } = simulation;
    if (plan.end !== "limit") return simulation;
    const next = results[plan.transactions.length];
    if (next?.outOfGas === true && gas < block.gasLimit) {
      gas = block.gasLimit;
      count = Math.min(plan.transactions.length + FIRST_CALLS, most);
      continue;
    }
    if (next !== undefined || count >= most) return simulation;
    shorter = simulation;
    count = Math.min(count * GROWTH, most);
  }
}

function mostCalls(maxRemits: number | undefined): number {
  if (maxRemits === undefined) return PLAN_TRANSACTIONS_LIMIT;
  const payments = Math.min(Math.max(1, maxRemits), PAYMENTS_OF_A_CALL);
  return Math.min(PLAN_TRANSACTIONS_LIMIT, Math.floor(PAYMENTS_LIMIT / payments));
}

function noSimulation(): ServiceError {
  return new ServiceError(
    "UPSTREAM_UNAVAILABLE",
    "The chain's node can't simulate (eth_simulateV1); the operator has to configure one that can.",
    { retryable: false },
  );
}

function repeatRemit(
  client: ChainClient,
  { contract, from, block }: SimulatePlanParameters,
  count: number,
  gas: bigint,
): Promise<SimulatedCall[]> {
  const call = { from, to: contract, data: encodeRemit(), gas };
  return requestSimulation(client, { calls: Array.from({ length: count }, () => call), block });
}

/** Reads the calls up to the first that fails or changes nothing; the calls after it do the same. */
function readPlan(results: readonly SimulatedCall[], { contract, from }: SimulatePlanParameters): PlanSimulation {
  const transactions: PlannedTransaction[] = [];
  const handled: RemitEffects["handled"] = [];
  const endingWith = (end: End): PlanSimulation => ({
    plan: { source: "simulated", complete: end.end !== "limit", ...end, transactions, details: null },
    handled,
  });
  for (const [position, result] of results.entries()) {
    if (!result.success) return endingWith(endOf(result, results[position + 1]));
    const { handled: payments, ...effects } = parseRemitLogs(result.logs, { contract, caller: from });
    if (effects.closesDays.length === 0 && payments.length === 0) return endingWith({ end: "no_progress" });
    transactions.push({ ...effects, gas: { used: result.gasUsed, source: "simulated" } });
    for (const payment of payments) handled.push(payment);
  }
  return endingWith({ end: "limit" });
}

type End = Pick<Plan, "end" | "revert">;

function endOf(failed: SimulatedCall, following: SimulatedCall | undefined): End {
  if (failed.revert?.code === "6") return { end: "caught_up" };
  // A call that reverts changes nothing, so the next one has to fail in the same way. Where it does not, the gas that the node
  // allows for a request ran out on the way.
  const confirmed =
    following === undefined || (following.returnData === failed.returnData && following.gasUsed === failed.gasUsed);
  if (failed.outOfGas || !confirmed || failed.revert === undefined) return { end: "limit" };
  return { end: "blocked", revert: failed.revert };
}
