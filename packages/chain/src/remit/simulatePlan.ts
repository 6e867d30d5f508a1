import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import { parseRemitLogs, type RemitEffects } from "@dueday/core/remit/parseRemitLogs";
import type { Plan, PlannedTransaction } from "@dueday/core/remit/plan";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import { asTokenRevert } from "@dueday/core/reverts/tokenRevert";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { isMissingMethod } from "../client/missingMethod";
import { RpcRefusal } from "../client/rpcOutcome";
import { expectProtocolEvents } from "../events/presentEvents";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import { type SimulatedCall, usesUp } from "../simulate/parseSimulation";
import { BLOCK_GAS_EXCEEDED, type CallRequest, requestSimulation } from "../simulate/simulateCalls";
import { partiesOfLogs } from "./partiesOfPlan";

export type SimulatePlanParameters = {
  contract: Address;
  /** Who would call. Gas depends on it; days, payments and failures only where the plan charges or pays this account itself. */
  from: Address;
  block: ChainBlock;
  /** When the calls are made, in unix seconds; a second after `block` by default. */
  time?: bigint;
  /** The protocol's maxRemits: how much gas to give a call. Without it each call gets all that a transaction may have. */
  maxRemits?: number;
  /** Transactions of the last plan: saves a second request where the plan is longer than usual. */
  expectedTransactions?: number;
  /** Calls before the first remit(), which change the state that it runs on; none by default. */
  before?: readonly CallRequest[];
};

/** A simulated plan, and what else the node's answers contain. */
export type PlanSimulation = {
  plan: Plan;
  /** The payments that the plan's transactions handle. */
  handled: RemitEffects["handled"];
  /** Accounts, in lower case, that the plan's transactions charge, pay or refund, their caller aside. */
  parties: ReadonlySet<string>;
  /** The transaction after an incomplete plan's last, where the node simulated it: the model that continues the plan has to have the same one. */
  seam: PlannedTransaction | null;
  /** Gas used by the call after the last one of an incomplete plan, where the plan ends because that call ran out of gas. */
  exhausted: bigint | null;
};

/** Transactions planned at most; the plan ends with `limit` beyond. */
export const PLAN_TRANSACTIONS_LIMIT = 500;

/**
 * The largest number of payments simulated in one request: with some 3 kB of logs each, all of them take a node and this process half a
 * second. The model continues beyond.
 */
const PAYMENTS_LIMIT = 2_200;
/** The largest number of payments that one call has gas for, whatever maxRemits is. */
const PAYMENTS_OF_A_CALL = 400;

const FIRST_CALLS = 24;
const GROWTH = 4;
/** Gas of a call without any charge, a month of empty days included, and of one payment of a costly token: upper bounds. */
const CALL_GAS = 3_000_000n;
const PAYMENT_GAS = 250_000n;
/** Sum of the gas limits of those calls of one request that are not known to fit: a token may use up all gas that it is given. */
const SIMULATION_GAS = 400_000_000n;
/** After this time no request for more calls begins. */
const SIMULATION_MS = 4_000;
/** The next call after those that are known to fit, and one more that shows whether its failure is the contract's. */
const NEXT_CALLS = 2;

/** Gas that one call with `payments` does not exceed, unless a token is costly beyond reason. */
export function callGasBound(payments: number): bigint {
  return CALL_GAS + BigInt(payments) * PAYMENT_GAS;
}

/**
 * What remit(), called again and again by `from` on the state after `block`, would do: one request of eth_simulateV1 repeats the call, over
 * as many simulated blocks as the gas needs, until it reverts. The request is sent again with more calls where these do not suffice, and with
 * fewer where the node refuses their number; at the largest possible number of calls the plan ends with `limit`. No call gets more gas than a
 * transaction may have, and a call that uses up all of that is blocked. Gas and time are bounded. Throws ServiceError UPSTREAM_* where the
 * node fails, takes too long for one call, or has no eth_simulateV1.
 */
export async function simulatePlan(client: ChainClient, parameters: SimulatePlanParameters): Promise<PlanSimulation> {
  const { block, maxRemits, expectedTransactions = 0 } = parameters;
  const started = performance.now();
  const gasCap = transactionGasLimit(client, block);
  const largest = largestGas(gasCap, maxRemits);
  /** Planned transactions at most; requests have more calls than that, for the seam. */
  let most = mostCalls(maxRemits);
  let gas = maxRemits === undefined || callGasBound(maxRemits) > largest ? largest : callGasBound(maxRemits);
  let count = Math.min(
    Math.max(FIRST_CALLS, expectedTransactions + 2),
    Math.max(expectedTransactions + 2, callsWithin(gas)),
    most + NEXT_CALLS,
  );
  let shorter: PlanSimulation | null = null;
  let canGrow = true;
  for (;;) {
    const limits = gasLimits(shorter, count, gas, largest);
    let results: SimulatedCall[];
    try {
      results = await repeatRemit(client, parameters, limits);
    } catch (error) {
      if (!(error instanceof RpcRefusal) && !isTimeout(error)) throw error;
      // The node took fewer calls: the plan is known that far.
      const known = shorter?.plan.transactions.length ?? 0;
      if (count <= known + 1 && shorter !== null) return shorter;
      if (count === 1) throw explainRefusal(error);
      if (error instanceof RpcRefusal && isMissingMethod(error)) throw noSimulation();
      canGrow = false;
      if (shorter !== null) {
        if (isTimeout(error)) return shorter;
        count = count > known + NEXT_CALLS ? known + NEXT_CALLS : known + 1;
        continue;
      }
      // The node allows less for one request: some add up the gas limits of all calls and compare with a block's.
      const fitting =
        error instanceof RpcRefusal && error.code === BLOCK_GAS_EXCEEDED ? Number(block.gasLimit / gas) : 0;
      if (isTimeout(error)) count = 1;
      else count = fitting >= 1 && fitting < count ? fitting : Math.floor(count / 2);
      most = Math.min(most, count);
      continue;
    }
    const simulation = readPlan(results, limits, { most, largest }, parameters);
    const { plan } = simulation;
    const known = plan.transactions.length;
    const hasTime = performance.now() - started < SIMULATION_MS;
    const failed = results[known];
    // A token may fail in any way for lack of gas: only a failure with all the gas of a transaction blocks the plan.
    const mayLackGas = failed !== undefined && (plan.end === "limit" || plan.end === "blocked");
    if (mayLackGas && hasTime && (limits[known] ?? largest) < largest) {
      shorter = simulation;
      gas = largest;
      count = known + NEXT_CALLS;
      continue;
    }
    if (plan.end !== "limit" || simulation.seam !== null || !hasTime) return simulation;
    if (failed !== undefined) return simulation;
    if (known >= count - 1 && shorter !== null && !canGrow) return simulation;
    shorter = simulation;
    gas = usualGas(results, gas);
    const more = canGrow ? Math.min(count * GROWTH, known + callsWithin(gas)) : known + NEXT_CALLS;
    count = Math.min(more, most + NEXT_CALLS);
  }
}

/** The gas of a transaction, where a simulation can give as much to a call and to the next. */
function largestGas(gasCap: bigint, maxRemits: number | undefined): bigint {
  const share = SIMULATION_GAS / BigInt(NEXT_CALLS);
  const needed = maxRemits === undefined ? share : callGasBound(Math.min(maxRemits, PAYMENTS_OF_A_CALL));
  const bound = needed > share ? needed : share;
  return gasCap < bound ? gasCap : bound;
}

function callsWithin(gas: bigint): number {
  return Math.max(NEXT_CALLS, Number(SIMULATION_GAS / gas));
}

/** Calls that are known to fit get twice the gas that they use, or all that a call may have: a refund is a fifth at most. */
function gasLimits(shorter: PlanSimulation | null, count: number, gas: bigint, largest: bigint): bigint[] {
  const known = shorter?.plan.transactions ?? [];
  return Array.from({ length: count }, (_, index) => {
    const used = known[index]?.gas?.used;
    if (used === undefined) return gas;
    return 2n * used < largest ? 2n * used : largest;
  });
}

/** A gas limit for the next calls, derived from those that succeeded. */
function usualGas(results: readonly SimulatedCall[], gas: bigint): bigint {
  let most = CALL_GAS;
  for (const { gasUsed } of results) if (4n * gasUsed > most) most = 4n * gasUsed;
  return most < gas ? most : gas;
}

function isTimeout(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === "UPSTREAM_TIMEOUT";
}

function mostCalls(maxRemits: number | undefined): number {
  if (maxRemits === undefined) return PLAN_TRANSACTIONS_LIMIT;
  const payments = Math.min(Math.max(1, maxRemits), PAYMENTS_OF_A_CALL);
  return Math.min(PLAN_TRANSACTIONS_LIMIT, Math.floor(PAYMENTS_LIMIT / payments));
}

function noSimulation(): ServiceError {
  return new ServiceError(
    "UPSTREAM_UNAVAILABLE",
    "The chain's node does not have eth_simulateV1; the operator has to configure one that does",
    { retryable: false },
  );
}

async function repeatRemit(
  client: ChainClient,
  { contract, from, block, time, before = [] }: SimulatePlanParameters,
  limits: readonly bigint[],
): Promise<SimulatedCall[]> {
  const call = { from, to: contract, data: encodeRemit() };
  const calls = [...before, ...limits.map((gas) => ({ ...call, gas }))];
  return (await requestSimulation(client, { calls, block, time })).slice(before.length);
}

/** Reads the calls up to the first that fails or changes nothing; the calls after it do the same. */
function readPlan(
  results: readonly SimulatedCall[],
  limits: readonly bigint[],
  { most, largest }: { most: number; largest: bigint },
  { contract, from }: SimulatePlanParameters,
): PlanSimulation {
  const transactions: PlannedTransaction[] = [];
  const handled: RemitEffects["handled"] = [];
  const parties = new Set<string>();
  const endingWith = (end: End, rest: Partial<PlanSimulation> = {}): PlanSimulation => ({
    plan: { source: "simulated", complete: end.end !== "limit", ...end, transactions, details: null },
    handled,
    parties,
    seam: null,
    exhausted: null,
    ...rest,
  });
  for (const [position, result] of results.entries()) {
    if (!result.success) {
      const end = endOf(result, results[position + 1], limits[position] === largest ? largest : undefined);
      return endingWith(end, { exhausted: end.end === "limit" ? result.gasUsed : null });
    }
    expectProtocolEvents(result.logs, contract, "eth_simulateV1");
    const { handled: payments, ...effects } = parseRemitLogs(result.logs, { contract, caller: from });
    if (effects.closesDays.length === 0 && payments.length === 0) return endingWith({ end: "no_progress" });
    const transaction: PlannedTransaction = { ...effects, gas: { used: result.gasUsed, source: "simulated" } };
    const isFull = handled.length > 0 && handled.length + payments.length > PAYMENTS_LIMIT;
    if (transactions.length >= most || isFull) return endingWith({ end: "limit" }, { seam: transaction });
    transactions.push(transaction);
    for (const payment of payments) handled.push(payment);
    for (const party of partiesOfLogs(result.logs, { contract, caller: from })) parties.add(party);
  }
  return endingWith({ end: "limit" });
}

type End = Pick<Plan, "end" | "revert">;

/** `largest` is the call's limit where no call may have more. */
function endOf(failed: SimulatedCall, following: SimulatedCall | undefined, largest: bigint | undefined): End {
  if (failed.revert?.code === "6") return { end: "caught_up" };
  // A call that reverts changes nothing, so the next one has to fail in the same way. Where it does not, the gas that the node
  // allows for a request ran out on the way.
  const confirmed =
    following === undefined || (following.returnData === failed.returnData && following.gasUsed === failed.gasUsed);
  if (!confirmed || failed.revert === undefined) return { end: "limit" };
  if (!failed.outOfGas) return { end: "blocked", revert: asTokenRevert(failed.revert) };
  return largest !== undefined && usesUp(failed.gasUsed, largest)
    ? { end: "blocked", revert: outOfGasRevert }
    : { end: "limit" };
}
