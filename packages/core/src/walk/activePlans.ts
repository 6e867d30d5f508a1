import type { Address, Hex } from "viem";
import type { RemitState } from "../remit/state";
import { NOTHING_COMING, type PlanCoverage } from "./coverage";

/**
 * A plan of an account, and what a walk has found about it. It holds the id and not the subscription, because a
 * `SubscriptionTable` builds a subscription each time it is read.
 */
export type WalkedPlan = PlanCoverage & {
  id: Hex;
  /** The last day that charged it; null before the first. */
  lastDay: number | null;
};

/** The plans that each account pays: those with the account in their set, without those that it has left or that are cancelled. */
export function activePlans({ subscriptions }: Pick<RemitState, "subscriptions">): Map<Address, WalkedPlan[]> {
  const plans = new Map<Address, WalkedPlan[]>();
  for (const { id, cancelled, subscribers, unsubscribed } of subscriptions.values()) {
    if (cancelled) continue;
    const left = new Set(unsubscribed);
    for (const { subscriber } of subscribers) {
      if (left.has(subscriber)) continue;
      const plan = { ...NOTHING_COMING, id, lastDay: null };
      const own = plans.get(subscriber);
      if (own === undefined) plans.set(subscriber, [plan]);
      else own.push(plan);
    }
  }
  return plans;
}
