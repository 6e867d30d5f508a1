import { stopOf } from "@dueday/core/remit/plan";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { readTokenInfos } from "../reads/readTokenInfos";
import { type PlanAlarm, planBacklog } from "./planBacklog";
import type { PlanFacts } from "./presentPlan";
import { readRemitCosts } from "./readRemitCosts";
import type { RemitStateCache } from "./state/createRemitStateCache";

export type ReadRemitPlanParameters = {
  contract: Address;
  from: Address;
  block: ChainBlock;
  stateCache: RemitStateCache;
  onAlarm(alarm: PlanAlarm): void;
};

/** The whole plan for `from`, payments included: the model is always run. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readRemitPlan(client: ChainClient, parameters: ReadRemitPlanParameters): Promise<PlanFacts> {
  const { contract, block } = parameters;
  const [plan, costs] = await Promise.all([
    planBacklog(client, { ...parameters, needsModel: () => true }),
    readRemitCosts(client, parameters),
  ]);
  const received = plan.transactions.flatMap(({ callerFees }) => callerFees.map(({ token }) => token));
  const stop = stopOf(plan);
  if (stop !== undefined) received.push(stop.token);
  const due = plan.details === null ? [] : [...plan.details.state.tokens.keys()];
  const tokens = await readTokenInfos(client, { contract, tokens: [...due, ...received], block });
  return { plan, ...costs, tokens };
}
