import { ServiceError } from "@dueday/core/errors";
import type { Plan } from "@dueday/core/remit/plan";
import { planRemitInSlices } from "@dueday/core/remit/planRemit";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import { pinBlock } from "../block/pinBlock";
import type { ChainClient } from "../client/createChainClient";
import { cannotBeRead } from "../reads/protocolRead";
import { comparePlans, type PlanDifference } from "./comparePlans";
import { continueWith } from "./continueWith";
import { findStoppingToken } from "./findStoppingToken";
import { detailsOf, judgeEnd, modelLike } from "./matchModel";
import { planWithoutSimulation } from "./planWithoutSimulation";
import { type PlanSimulation, type SimulatePlanParameters, simulatePlan } from "./simulatePlan";
import type { RemitStateCache } from "./state/createRemitStateCache";

/** A fault for the operator: the returned plan is right, but only one of simulation and model has made it. */
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
 * allow and modelled beyond; or modelled throughout where the node can't simulate or takes too long for it. On a node that can't simulate,
 * the model is tried by eth_call where the node allows that. Where simulation and model both exist they have to agree, the transaction after
 * the simulated ones included; if they do not, `onAlarm` is called and the simulation is the plan. Throws ServiceError
 * UPSTREAM_* where neither is possible.
 */
export async function planBacklog(client: ChainClient, parameters: PlanBacklogParameters): Promise<Plan> {
  const { block, stateCache } = parameters;
  let alarms: PlanAlarm[] = [];
  const plan = () => planOnce(client, { ...parameters, onAlarm: (alarm) => alarms.push(alarm) });
  let planned = await plan();
  // anvil may answer for its newest block from the state after the next one, while it mines that. For an older block its answers are right.
  if (alarms.some(({ kind }) => kind === "model_differs") && (await pinBlock(client)).number > block.number) {
    alarms = [];
    stateCache.forget();
    planned = await plan();
  }
  for (const alarm of alarms) parameters.onAlarm(alarm);
  return planned;
}

async function planOnce(client: ChainClient, parameters: PlanBacklogParameters): Promise<Plan> {
  const simulation = await simulateUnlessSlow(client, parameters);
  if (!(simulation instanceof ServiceError) && simulation.plan.complete && !(await parameters.needsModel(simulation))) {
    return simulation.plan;
  }
  const { stateCache, block, from } = parameters;
  const state = await errorUnlessRetryable(() => stateCache.read(client, { block, caller: from }));
  if (state instanceof ServiceError) {
    if (simulation instanceof ServiceError) throw neither(simulation, state);
    parameters.onAlarm({ kind: "state_unreadable", error: state });
    return simulation.plan;
  }
  if (simulation instanceof ServiceError) {
    if (simulation.code !== "UPSTREAM_TIMEOUT") {
      const onDifference = (difference: PlanDifference) => parameters.onAlarm({ kind: "model_differs", ...difference });
      return planWithoutSimulation(client, { ...parameters, onDifference }, state);
    }
    parameters.onAlarm({ kind: "simulation_too_slow", error: simulation });
    return planRemitInSlices(state);
  }
  const free = await planRemitInSlices(state);
  const simulated = judgeEnd(simulation, free);
  const modelled = await modelLike(client, parameters, simulated, free);
  if (simulated.revert?.name === outOfGasRevert.name && modelled.end !== "blocked") {
    // No single transfer uses up the gas: the call as a whole is too long for a block, which the model does not check.
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
    const blockedBy = await findStoppingToken(client, parameters, { state, plan: simulated });
    return blockedBy === null ? simulated : { ...simulated, blockedBy };
  }
  return simulated.complete
    ? { ...simulated, details: detailsOf(simulated, modelled) }
    : continueWith(simulated, modelled);
}

/** The error of a plan that can be neither simulated nor modelled: it names what the node lacks for each. */
function neither(simulation: ServiceError, state: ServiceError): ServiceError {
  const { code, retryable } = simulation;
  return new ServiceError(code, `${simulation.message}. ${state.message}`, { retryable, cause: state });
}

/** Like `errorUnlessRetryable`, but a timeout is returned as well: the same simulation would take as long again. */
async function simulateUnlessSlow(client: ChainClient, parameters: PlanBacklogParameters) {
  try {
    return await errorUnlessRetryable(() => simulatePlan(client, parameters));
  } catch (error) {
    if (error instanceof ServiceError && error.code === "UPSTREAM_TIMEOUT") return error;
    throw error;
  }
}

/** The result, or the error where another try would fail in the same way. */
async function errorUnlessRetryable<T>(read: () => Promise<T>): Promise<T | ServiceError> {
  try {
    return await read();
  } catch (error) {
    if (cannotBeRead(error)) return error;
    throw error;
  }
}
