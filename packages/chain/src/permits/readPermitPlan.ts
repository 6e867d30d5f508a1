import { ServiceError } from "@dueday/core/errors";
import type { KeptPermit } from "@dueday/core/permit/permit";
import { modelPermits, type PermitsModel, type SavingPermit } from "@dueday/core/remit/modelPermits";
import type { Plan } from "@dueday/core/remit/plan";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { readTokenInfos, type TokenInfos } from "../reads/readTokenInfos";
import { comparePlans } from "../remit/comparePlans";
import { continueWith } from "../remit/continueWith";
import { detailsOf, judgeEnd } from "../remit/matchModel";
import type { PlanAlarm } from "../remit/planBacklog";
import { simulatePlan } from "../remit/simulatePlan";
import { readStanding } from "./readStanding";
import { permitRequest, tryPermits } from "./tryPermits";

/** An account and the token in which its payments fail, and who would receive them. */
export type FailingPayer = { token: Address; owner: Address; receivers: ReadonlySet<Address> };

export type ReadPermitPlanParameters<P> = {
  contract: Address;
  /** Who would submit the permits and call remit(). */
  from: Address;
  block: ChainBlock;
  /** The plan without permits, of `block`, with the model's details. */
  plan: Plan;
  /** The kept permits of these payers, at most one for each. */
  permitsOf(payers: readonly FailingPayer[]): Promise<readonly P[]>;
  onAlarm(alarm: PlanAlarm): void;
};

/** What kept permits change in a plan: those that save payments, and the plan after them. */
export type PermitPlanFacts<P> = {
  plan: Plan;
  permits: readonly SavingPermit<P>[];
  /** Every token that the plan and the permits name. */
  tokens: TokenInfos;
};

/** The largest number of permits that are judged, in the order in which the plan's payments fail. */
export const MOST_PLANNED_PERMITS = 50;

/**
 * The kept permits that would save failing payments of a plan, and the plan after these permits are submitted: by the model and, where the
 * plan was simulated, by a simulation with the permits before the first remit(). Where model and simulation differ, `onAlarm` is called and no
 * permit counts. Null where no permit saves a payment. Three round trips, none for a plan in which no allowance is missing. Throws ServiceError
 * UPSTREAM_* where the node fails.
 */
export async function readPermitPlan<P extends KeptPermit>(
  client: ChainClient,
  { permitsOf, ...parameters }: ReadPermitPlanParameters<P>,
): Promise<PermitPlanFacts<P> | null> {
  const { contract, from, block, plan } = parameters;
  const { details } = plan;
  const payers = details === null ? [] : failingPayers(plan).slice(0, MOST_PLANNED_PERMITS);
  if (details === null || payers.length === 0) return null;
  const kept = (await permitsOf(payers)).filter(({ spender }) => spender === contract);
  if (kept.length === 0) return null;
  const standing = await readStanding(client, { contract, permits: kept, block });
  const counting = standing.filter(({ counts }) => counts).map(({ permit }) => permit);
  const receiversOf = ({ token, owner }: P) => {
    const payer = payers.find((each) => each.token === token && each.owner === owner);
    return [contract, ...(payer?.receivers ?? [])];
  };
  const working = await tryPermits(client, { permits: counting, receiversOf, from, block });
  const model = await modelPermits(details.state, details.payments, working);
  if (model === null) return null;
  const after = plan.source === "simulated" ? await simulateAfter(client, parameters, model) : model.plan;
  if (after === null) return null;
  const fees = after.transactions.flatMap(({ callerFees }) => callerFees.map(({ token }) => token));
  const named = [...fees, ...model.permits.map(({ permit }) => permit.token)];
  return {
    plan: after,
    permits: model.permits,
    tokens: await readTokenInfos(client, { contract, tokens: named, block }),
  };
}

/** Payers whose allowance is too low for a payment of the plan, in its order. */
function failingPayers({ details }: Plan): FailingPayer[] {
  const payers = new Map<string, FailingPayer & { receivers: Set<Address> }>();
  for (const { id, subscriber: owner, outcome } of details?.payments ?? []) {
    if (outcome !== "fails_allowance") continue;
    const subscription = details?.state.subscriptions.get(id);
    if (subscription === undefined) continue;
    const { token, provider } = subscription;
    const key = `${token} ${owner}`;
    const payer = payers.get(key) ?? { token, owner, receivers: new Set() };
    payers.set(key, { ...payer, receivers: payer.receivers.add(provider) });
  }
  return [...payers.values()];
}

/** The plan after the permits as a node simulates it; null where that differs from the model. */
async function simulateAfter<P extends KeptPermit>(
  client: ChainClient,
  { onAlarm, plan: unsaved, ...parameters }: Omit<ReadPermitPlanParameters<P>, "permitsOf">,
  { plan: modelled, permits }: PermitsModel<P>,
): Promise<Plan | null> {
  const before = permits.map(({ permit }) => permitRequest(permit, parameters.from));
  const expectedTransactions = unsaved.transactions.length;
  const { maxRemits } = modelled.details.state;
  try {
    const simulation = await simulatePlan(client, { ...parameters, maxRemits, expectedTransactions, before });
    const simulated = judgeEnd(simulation, modelled);
    const difference = comparePlans(simulated, modelled);
    if (difference !== null) {
      onAlarm({ kind: "model_differs", ...difference });
      return null;
    }
    return simulated.complete
      ? { ...simulated, details: detailsOf(simulated, modelled) }
      : continueWith(simulated, modelled);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "UPSTREAM_TIMEOUT") throw error;
    // The plan without permits is still right. A plan with permits that no simulation has proven is not shown.
    onAlarm({ kind: "simulation_too_slow", error });
    return null;
  }
}
