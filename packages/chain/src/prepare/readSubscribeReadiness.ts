import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import type { CoverageReader } from "../walk/createCoverageReader";
import { confirmUnchecked } from "./confirmUnchecked";
import { expectNamed, type NamedSubscription, targetOf } from "./namedSubscription";
import { type PlanSubscribeParameters, planSubscribe } from "./planSubscribe";
import { preflightOf } from "./preparePlan";
import { readSubscribeFacts } from "./readSubscribeFacts";
import { simulationRefusal } from "./refusalErrors";
import { simulateFirstThatRuns } from "./simulateFirstThatRuns";
import { warnAboutGas } from "./warnAboutGas";

export type SubscribeReadinessParameters = NamedSubscription & {
  /** The wallet that would subscribe. */
  from: string;
  coverage: CoverageReader;
  /** Simulate what prepare would return, where no rule forbids it. */
  simulate: boolean;
};

/**
 * Whether a wallet can subscribe, by the protocol's rules and, on request, by simulation.
 *
 * @throws ServiceError NOT_FOUND for an unknown id, VALIDATION_ERROR for an object that differs from the chain, UPSTREAM_*
 */
export async function readSubscribeReadiness(client: ChainClient, parameters: SubscribeReadinessParameters) {
  const { block, chain, coverage, simulate } = parameters;
  const target = await targetOf(parameters);
  const account = getAddress(parameters.from);
  const found = await readSubscribeFacts(client, { ...target, account, coverage, approval: {} });
  const facts = expectNamed(client, parameters, found);
  const plan = planReadiness({ facts, contract: chain.contract, block });
  if (!simulate || plan.refusals.length > 0) return preflightOf(plan, plan.refusals);
  const { ways } = plan;
  const { calls, simulation } = await simulateFirstThatRuns(client, {
    ways,
    from: account,
    broadcaster: account,
    block,
  });
  const isProtocols = await confirmUnchecked(client, { calls, simulation, block });
  const refusal = simulationRefusal(calls, simulation, isProtocols);
  return preflightOf(plan, refusal === null ? [] : [refusal]);
}

/** Whether the account of `facts` can subscribe, by the protocol's rules alone. */
export function subscribeReadiness(parameters: PlanSubscribeParameters) {
  const plan = planReadiness(parameters);
  return preflightOf(plan, plan.refusals);
}

/** The warning about gas assumes no cost: only prepare estimates it. */
function planReadiness(parameters: PlanSubscribeParameters) {
  const { account, nativeBalance } = parameters.facts;
  const plan = planSubscribe(parameters);
  return { ...plan, warnings: [...plan.warnings, ...warnAboutGas(account, nativeBalance, 0n)] };
}
