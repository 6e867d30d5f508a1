import type { Address } from "viem";
import type { RemitSubscription } from "../remit/state";
import { runInSlices } from "../runInSlices";
import { atRiskDays, type PlanCoverage } from "./coverage";
import type { CoverageWalk } from "./walkCoverage";

/** A subscriber's plan that is at risk, and the charge that fails. */
export type PlanAtRisk = {
  subscription: RemitSubscription;
  subscriber: Address;
  coverage: PlanCoverage;
  failsDay: number;
};

/** Whether a charge of a plan fails within one whole period of it. */
export function isAtRisk(
  { state }: CoverageWalk,
  { frequency }: Pick<RemitSubscription, "frequency">,
  { failsDay }: PlanCoverage,
): boolean {
  return failsDay !== null && failsDay <= state.today + atRiskDays(frequency);
}

/**
 * Every subscriber of a provider with a charge that fails within one whole period of its plan: the next failure first,
 * then by id and subscriber. Runs in slices of some milliseconds.
 */
export async function listPlansAtRisk(walk: CoverageWalk, provider: Address): Promise<PlanAtRisk[]> {
  const found: PlanAtRisk[] = [];
  await runInSlices(subscribersToJudge(walk, provider), ({ subscription, subscriber }) => {
    const coverage = walk.coverageOf(subscription.id, subscriber);
    const { failsDay } = coverage;
    if (failsDay !== null && isAtRisk(walk, subscription, coverage))
      found.push({ subscription, subscriber, coverage, failsDay });
  });
  return found.toSorted(byFailure);
}

/** The subscribers that may be at risk: where the walk covers the whole period, only those with a failure in the walk. */
function* subscribersToJudge({ state, throughDay, failures }: CoverageWalk, provider: Address) {
  const failing = Map.groupBy(failures, ({ id }) => id);
  for (const subscription of state.subscriptions.values()) {
    const { id, frequency, subscribers } = subscription;
    if (subscription.provider !== provider || subscription.cancelled) continue;
    const isWalked = throughDay >= state.today + atRiskDays(frequency);
    for (const { subscriber } of isWalked ? (failing.get(id) ?? []) : subscribers) yield { subscription, subscriber };
  }
}

function byFailure(a: PlanAtRisk, b: PlanAtRisk): number {
  return (
    a.failsDay - b.failsDay ||
    a.subscription.id.localeCompare(b.subscription.id) ||
    a.subscriber.localeCompare(b.subscriber)
  );
}
