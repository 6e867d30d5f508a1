import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { confirmUnchecked } from "./confirmUnchecked";
import { planSubscribe } from "./planSubscribe";
import { preflightOf } from "./preparePlan";
import type { SubscribeWalkFacts } from "./readSubscribeFacts";
import { simulationRefusal } from "./refusalErrors";
import { simulateFirstThatRuns } from "./simulateFirstThatRuns";
import { warnAboutGas } from "./warnAboutGas";

export type SubscribeReadinessParameters = {
  facts: SubscribeWalkFacts;
  contract: Address;
  block: ChainBlock;
  /** Simulate what prepare would return, where no rule forbids it. */
  simulate: boolean;
};

/** Whether a wallet can subscribe, by the protocol's rules and, on request, by simulation. Throws ServiceError UPSTREAM_*. */
export async function readSubscribeReadiness(
  client: ChainClient,
  { facts, contract, block, simulate }: SubscribeReadinessParameters,
) {
  const { account, nativeBalance } = facts;
  const planned = planSubscribe({ facts, contract, block });
  // What the gas will cost is for prepare to estimate.
  const plan = { ...planned, warnings: [...planned.warnings, ...warnAboutGas(account, nativeBalance, 0n)] };
  if (!simulate || plan.refusals.length > 0) return preflightOf(plan, plan.refusals);
  const { ways } = plan;
  const { calls, simulation } = await simulateFirstThatRuns(client, {
    ways,
    from: account,
    broadcaster: account,
    block,
  });
  const unchecked = await confirmUnchecked(client, { plan, calls, simulation, block });
  const refusal = simulationRefusal(calls, simulation, { ...plan, unchecked });
  return preflightOf(plan, refusal === null ? [] : [refusal]);
}
