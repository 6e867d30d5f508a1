import type { RemitSubscription } from "@dueday/core/remit/state";
import type { Hex } from "viem";

/** Subscriptions by id, in the order in which they were added. */
export type SubscriptionStore = {
  add(subscription: RemitSubscription): void;
  map: ReadonlyMap<Hex, RemitSubscription>;
};

/** For a small book: a map of objects. */
export function newPlainStore(): SubscriptionStore {
  const map = new Map<Hex, RemitSubscription>();
  return { map, add: (subscription) => void map.set(subscription.id, subscription) };
}

/** Returns the map with the changes made; null stands for an id that is gone. */
export type WithChanges = (
  before: ReadonlyMap<Hex, RemitSubscription>,
  changes: ReadonlyMap<Hex, RemitSubscription | null>,
) => Promise<ReadonlyMap<Hex, RemitSubscription>>;

/** For a small book: a copy. */
export const plainWithChanges: WithChanges = async (before, changes) => {
  const after = new Map(before);
  for (const [id, change] of changes) change === null ? after.delete(id) : after.set(id, change);
  return after;
};
