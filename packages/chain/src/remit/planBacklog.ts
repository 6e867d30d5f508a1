import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import { type Revert, ServiceError } from "@dueday/core/errors";
import type { ModelledPlan, PlanEnd, PlannedTransaction } from "@dueday/core/remit/plan";
import { planRemit } from "@dueday/core/remit/planRemit";
import type { RemitState } from "@dueday/core/remit/state";
import { isHex } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainClient } from "../client/createChainClient";
import { RpcRefusal } from "../client/rpcOutcome";
import { comparePlans, type PlanDifference } from "./comparePlans";
import { findRefusedTransfer } from "./findRefusedTransfer";
import { fitGas, type GasPoint } from "./fitGas";
import { type SimulatedPlan, type SimulatePlanParameters, simulatePlan } from "./simulatePlan";
import type { RemitStateCache } from "./state/createRemitStateCache";

/** One planned remit(), and where its gas comes from; null gas where neither simulation nor fit could be had. */
export type BacklogTransaction = PlannedTransaction & {
  gasUsed: bigint;
  gasSource: "simulated" | "fitted" | "unknown";
};

/** What only the model tells: what becomes of each payment, and why. */
export type PlanDetails = Pick<ModelledPlan, "payments" | "missed" | "unpaidFees" | "blockedBy"> & {
  state: RemitState;
};

/** The plan as it is served. */
export type BacklogPlan = {
  /** `simulated` where every transaction is the chain's own. */
  source: "simulated" | "modelled";
  complete: boolean;
  end: PlanEnd;
  transactions: BacklogTransaction[];
  revert?: Revert;
  /** Null where the model was not asked, had no state to go by, or differs from the chain. */
  details: PlanDetails | null;
};

/** What an operator has to look into: the served plan is right all the same, but stands on one leg. */
export type PlanAlarm =
  | ({ kind: "model_differs" } & PlanDifference)
  | { kind: "state_unreadable"; error: ServiceError };

export type PlanBacklogParameters = SimulatePlanParameters & {
  stateCache: RemitStateCache;
  /** Whether the model is needed on top of a simulation that was complete. */
  needsModel(simulated: SimulatedPlan): boolean | Promise<boolean>;
  onAlarm(alarm: PlanAlarm): void;
};

/**
 * What remit(), called again and again by `from`, would do on the state after `block`: simulated as far as the node's caps
 * allow, modelled beyond, or altogether where the node can't simulate. Where both exist they have to agree; if they do not,
 * that is an alarm, and the chain's own simulation is the plan. Throws ServiceError UPSTREAM_* where neither can be had.
 */
export async function planBacklog(client: ChainClient, parameters: PlanBacklogParameters): Promise<BacklogPlan> {
  const simulated = await simulateIfPossible(client, parameters);
  if (!(simulated instanceof ServiceError) && simulated.complete && !(await parameters.needsModel(simulated))) {
    return fromSimulation(simulated, null);
  }
  const state = await readState(client, parameters);
  if (state instanceof ServiceError) {
    if (simulated instanceof ServiceError) throw simulated;
    parameters.onAlarm({ kind: "state_unreadable", error: state });
    return fromSimulation(simulated, null);
  }
  if (simulated instanceof ServiceError) return fromModel(client, parameters, state);
  const [modelled, known] = await modelAlong(client, parameters, simulated, state);
  const difference = comparePlans(simulated, modelled);
  if (difference !== null) {
    parameters.onAlarm({ kind: "model_differs", ...difference });
    return fromSimulation(simulated, null);
  }
  return simulated.complete
    ? fromSimulation(simulated, detailsOf(modelled, known))
    : continued(simulated, modelled, known);
}

/** The simulation, or the error that says why there is none: only a node that is away is worth another try. */
async function simulateIfPossible(client: ChainClient, parameters: PlanBacklogParameters) {
  try {
    return await simulatePlan(client, parameters);
  } catch (error) {
    if (error instanceof ServiceError && !error.retryable) return error;
    throw error;
  }
}

async function readState(client: ChainClient, { stateCache, block, from }: PlanBacklogParameters) {
  try {
    return await stateCache.read(client, { block, caller: from });
  } catch (error) {
    if (error instanceof ServiceError && !error.retryable) return error;
    throw error;
  }
}

/**
 * The model's plan, and the state that it is made from. Where the chain is blocked by what no state tells, a token that refuses
 * somebody's transfer, the culprit is found and put into the state.
 */
async function modelAlong(
  client: ChainClient,
  parameters: PlanBacklogParameters,
  simulated: SimulatedPlan,
  state: RemitState,
): Promise<[ModelledPlan, RemitState]> {
  const modelled = planRemit(state);
  const before = simulated.transactions.length;
  const agrees = modelled.transactions.length <= before && modelled.revert?.code === simulated.revert?.code;
  if (simulated.end !== "blocked" || agrees) return [modelled, state];
  const { contract, from, block } = parameters;
  const { events, revertedEvents = [] } = planRemit(state, { maxTransactions: before + 1, withEvents: true });
  const blockedCall = { contract, from, block, before, events: events[before] ?? revertedEvents };
  const refused = await findRefusedTransfer(client, blockedCall);
  const token = refused && state.tokens.get(refused.token);
  if (!token) return [modelled, state];
  const blocked = new Map([[refused.account, refused.reason]]);
  const known = { ...state, tokens: new Map(state.tokens).set(refused.token, { ...token, blocked }) };
  return [planRemit(known), known];
}

function fromSimulation(simulated: SimulatedPlan, details: PlanDetails | null): BacklogPlan {
  const { source, complete, end, revert } = simulated;
  const transactions = simulated.transactions.map(asSimulated);
  return { source, complete, end, transactions, details, ...(revert && { revert }) };
}

/** The simulated beginning, and the model's rest with gas fitted on it. */
function continued(simulated: SimulatedPlan, modelled: ModelledPlan, state: RemitState): BacklogPlan {
  const { complete, end, revert } = modelled;
  const first = simulated.transactions.map(asSimulated);
  const rest = withFittedGas(modelled.transactions.slice(first.length), simulated.transactions);
  const transactions = [...first, ...rest];
  return {
    source: "modelled",
    complete,
    end,
    transactions,
    details: detailsOf(modelled, state),
    ...(revert && { revert }),
  };
}

/** The model alone; its gas goes by what the node estimates for the first call. */
async function fromModel(
  client: ChainClient,
  parameters: PlanBacklogParameters,
  state: RemitState,
): Promise<BacklogPlan> {
  const modelled = planRemit(state);
  const { source, complete, end, revert, transactions } = modelled;
  const [first] = transactions;
  const gasUsed = first === undefined ? null : await estimateFirst(client, parameters);
  const points = first === undefined || gasUsed === null ? [] : [{ payments: first.payments, gasUsed }];
  return {
    ...{ source, complete, end, details: detailsOf(modelled, state) },
    transactions: withFittedGas(transactions, points),
    ...(revert && { revert }),
  };
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

function withFittedGas(transactions: readonly PlannedTransaction[], points: readonly GasPoint[]): BacklogTransaction[] {
  const fit = fitGas(points);
  return transactions.map((transaction) => ({
    ...transaction,
    gasUsed: fit?.(transaction.payments) ?? 0n,
    gasSource: fit === null ? "unknown" : "fitted",
  }));
}

function asSimulated(transaction: SimulatedPlan["transactions"][number]): BacklogTransaction {
  return { ...transaction, gasSource: "simulated" };
}

function detailsOf({ payments, missed, unpaidFees, blockedBy }: ModelledPlan, state: RemitState): PlanDetails {
  return { payments, missed, unpaidFees, state, ...(blockedBy && { blockedBy }) };
}
