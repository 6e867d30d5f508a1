import type { Address } from "viem";
import type { RemitState, RemitSubscription } from "../remit/state";

/** What each account pays: the plans in whose set it is, without those that it has left or that are cancelled. */
export function activePlans({ subscriptions }: Pick<RemitState, "subscriptions">): Map<Address, RemitSubscription[]> {
  const plans = new Map<Address, RemitSubscription[]>();
  for (const subscription of subscriptions.values()) {
    if (subscription.cancelled) continue;
    const left = new Set(subscription.unsubscribed);
    for (const { subscriber } of subscription.subscribers) {
      if (left.has(subscriber)) continue;
      const own = plans.get(subscriber);
      if (own === undefined) plans.set(subscriber, [subscription]);
      else own.push(subscription);
    }
  }
  return plans;
}
