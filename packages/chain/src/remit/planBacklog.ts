import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { ServiceError } from "@dueday/core/errors";
import type { Plan, PlanDetails, PlannedTransaction } from "@dueday/core/remit/plan";
import { type ModelledPlan, planRemitInSlices, traceRemits } from "@dueday/core/remit/planRemit";
import type { RemitState } from "@dueday/core/remit/state";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import { tokenRevert } from "@dueday/core/reverts/tokenRevert";
import { isHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { comparePlans, type PlanDifference } from "./comparePlans";
import { findRefusedTransfer } from "./findRefusedTransfer";
import { fitGas, type GasPoint } from "./fitGas";
import { callGasBound, type PlanSimulation, type SimulatePlanParameters, simulatePlan } from "./simulatePlan";
import type { RemitStateCache } from "./state/createRemitStateCache";

/** A fault for the operator: the returned plan is right, but only simulation or model has made it. */
export type PlanAlarm =
  | ({ kind: "model_differs" } & PlanDifference)
  | { kind: "state_unreadable"; error: ServiceError }
  | { kind: "simulation_too_slow"; error: ServiceError };

export type PlanBacklogParameters = SimulatePlanParameters & {
  stateCache: RemitStateCache;
  /** Whether the model is needed on top of a complete simulation. */
  needsModel(simulation: PlanSimulation): boolean | Promise<boolean>;
  onAlarm(alarm: PlanAlarm): void;
};

/**
 * What remit(), called again and again by `from`, would do on the state after `block`: simulated as far as the node's caps
 * allow and modelled beyond, or modelled throughout where the node can't simulate, or takes too long for it. Where both exist they
 * have to agree, the transaction after the simulated ones included; if they do not, `onAlarm` is called and the simulation is the
 * plan. Throws ServiceError UPSTREAM_* where neither is possible.
 */
export async function planBacklog(client: ChainClient, parameters: PlanBacklogParameters): Promise<Plan> {
  const simulation = await simulateUnlessSlow(client, parameters);
  if (!(simulation instanceof ServiceError) && simulation.plan.complete && !(await parameters.needsModel(simulation))) {
    return simulation.plan;
  }
  const { stateCache, block, from } = parameters;
  const state = await errorUnlessRetryable(() => stateCache.read(client, { block, caller: from }));
  if (state instanceof ServiceError) {
    if (simulation instanceof ServiceError) throw simulation;
    parameters.onAlarm({ kind: "state_unreadable", error: state });
    return simulation.plan;
  }
  if (simulation instanceof ServiceError) {
    if (simulation.code !== "UPSTREAM_TIMEOUT") return modelAlone(client, parameters, state);
    parameters.onAlarm({ kind: "simulation_too_slow", error: simulation });
    return planRemitInSlices(state);
  }
  const free = await planRemitInSlices(state);
  const simulated = judgeEnd(simulation, free);
  const modelled = await modelLike(client, parameters, simulated, free);
  if (simulated.revert?.name === outOfGasRevert.name && modelled.end !== "blocked") {
    // No single transfer takes the gas: the call itself is too long for a block, which the model does not count.
    const difference = comparePlans({ ...simulated, complete: false }, modelled);
    if (difference !== null) parameters.onAlarm({ kind: "model_differs", ...difference });
    return simulated;
  }
  const { seam } = simulation;
  const compared =
    simulated.complete || seam === null ? simulated : { ...simulated, transactions: [...simulated.transactions, seam] };
  const difference = comparePlans(compared, modelled);
  if (difference !== null) {
    parameters.onAlarm({ kind: "model_differs", ...difference });
    return simulated;
  }
  return simulated.complete
    ? { ...simulated, details: detailsOf(simulated, modelled) }
    : continueWith(simulated, modelled);
}

/** Like `errorUnlessRetryable`, and a timeout is a result too: the same simulation would take as long again. */
async function simulateUnlessSlow(client: ChainClient, parameters: PlanBacklogParameters) {
  try {
    return await errorUnlessRetryable(() => simulatePlan(client, parameters));
  } catch (error) {
    if (error instanceof ServiceError && error.code === "UPSTREAM_TIMEOUT") return error;
    throw error;
  }
}

/**
 * The simulated plan, with its end judged by the state. A revert with 6 is the protocol's only where nothing is open any more, and
 * a token's own reason where the model still has something to settle. Gas that ran out although the call had more than its
 * payments need is used up by a token, not by what the node allows.
 */
function judgeEnd({ plan, exhausted }: PlanSimulation, modelled: ModelledPlan): Plan {
  const { transactions } = plan;
  const next = modelled.transactions[transactions.length];
  const { state } = modelled.details;
  const lastClosed = lastClosedOf(transactions) ?? state.nextUncheckedDay - 1;
  if (plan.end === "caught_up" && lastClosed < state.today && (next !== undefined || modelled.end === "blocked")) {
    return { ...plan, end: "blocked", revert: tokenRevert("6") };
  }
  if (exhausted !== null && next !== undefined && exhausted >= callGasBound(next.payments)) {
    return { ...plan, complete: true, end: "blocked", revert: outOfGasRevert };
  }
  return plan;
}

/** The last day that `transactions` close; undefined where none closes any. */
function lastClosedOf(transactions: readonly PlannedTransaction[]): number | undefined {
  return transactions.findLast(({ closesDays }) => closesDays.length > 0)?.closesDays.at(-1);
}

/** The model's details; what blocks the plan has the revert of the simulation. */
function detailsOf({ revert }: Plan, { details }: ModelledPlan): PlanDetails {
  const { blockedBy } = details;
  return blockedBy === undefined || revert === undefined
    ? details
    : { ...details, blockedBy: { ...blockedBy, revert } };
}

/** The result, or the error where another try would fail in the same way. */
async function errorUnlessRetryable<T>(read: () => Promise<T>): Promise<T | ServiceError> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServiceError && !error.retryable) return error;
    throw error;
  }
}

/**
 * The model's plan. Where the chain is blocked by something that no state shows, a token that refuses an account's transfer,
 * that account is found and put into the state.
 */
async function modelLike(
  client: ChainClient,
  parameters: PlanBacklogParameters,
  simulated: Plan,
  modelled: ModelledPlan,
): Promise<ModelledPlan> {
  const { state } = modelled.details;
  const count = simulated.transactions.length;
  const agrees = modelled.transactions.length <= count && modelled.revert?.code === simulated.revert?.code;
  if (simulated.end !== "blocked" || agrees) return modelled;
  const { contract, from, block } = parameters;
  const events = traceRemits(state, { maxTransactions: count + 1 })[count] ?? [];
  const before = simulated.transactions.map(({ gas }) => gas?.used ?? block.gasLimit);
  const refused = await findRefusedTransfer(client, { contract, from, block, before, events });
  const token = refused && state.tokens.get(refused.token);
  if (!token) return modelled;
  const blocked = new Map([[refused.account, simulated.revert?.code ?? refused.reason]]);
  return planRemitInSlices({ ...state, tokens: new Map(state.tokens).set(refused.token, { ...token, blocked }) });
}

/** The simulated beginning and the model's rest, with gas fitted on the simulated transactions. */
function continueWith(simulated: Plan, modelled: ModelledPlan): Plan {
  const { transactions } = simulated;
  const points = transactions.flatMap(({ payments, gas }) => (gas === null ? [] : [{ payments, gasUsed: gas.used }]));
  const rest = withFittedGas(modelled.transactions.slice(transactions.length), points);
  return { ...modelled, transactions: [...transactions, ...rest] };
}

/** The model's plan, with gas fitted on the node's estimate for the first call. */
async function modelAlone(client: ChainClient, parameters: PlanBacklogParameters, state: RemitState): Promise<Plan> {
  const modelled = await planRemitInSlices(state);
  const [first] = modelled.transactions;
  const gasUsed = first === undefined ? null : await estimateFirst(client, parameters);
  const points = first === undefined || gasUsed === null ? [] : [{ payments: first.payments, gasUsed }];
  return { ...modelled, transactions: withFittedGas(modelled.transactions, points) };
}

async function estimateFirst(
  client: ChainClient,
  { contract, from, block }: PlanBacklogParameters,
): Promise<bigint | null> {
  try {
    const call = { from, to: contract, data: encodeRemit() };
    const gas = await client.rpc("eth_estimateGas", [call, blockReference(block)]);
    return isHex(gas) ? BigInt(gas) : null;
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
}

function withFittedGas(transactions: readonly PlannedTransaction[], points: readonly GasPoint[]): PlannedTransaction[] {
  const fit = fitGas(points);
  return transactions.map((transaction) => ({
    ...transaction,
    gas: fit && { used: fit(transaction.payments), source: "fitted" },
  }));
}
