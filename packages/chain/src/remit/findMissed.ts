import type { MissedSubscription } from "@dueday/core/remit/plan";
import type { Address, Hex } from "viem";
import type { DueFacts } from "../reads/readDueFacts";
import type { DueLists } from "../reads/readDueLists";
import type { SimulatedPlan } from "./planRemit";

/** A due id that the plan closes a day without: missed, if there is anybody to charge. */
export type UnhandledId = { id: Hex; dayNumber: number };

/**
 * Ids of the due lists of the days that `plan` closes which no payment of that day is of. Those that transactions before the
 * plan charged are left out: on the first open day, what comes before the entry at which the plan goes on (protocol part 5:
 * lower frequencies, and higher list positions of its own).
 *
 * Where a page was broken before the plan began and the plan handles no payment of that day, nothing tells how far the earlier
 * transactions came, and the day's ids are left out.
 */
export function findUnhandled(plan: SimulatedPlan, listsOf: DueLists, nextUncheckedDay: number): UnhandledId[] {
  const handled = new Set<string>();
  for (const { handled: payments } of plan.transactions) {
    for (const { id, dayNumber } of payments) handled.add(`${dayNumber}:${id}`);
  }
  const start = plan.transactions.flatMap((transaction) => transaction.handled).find(() => true);
  const closed = plan.transactions.flatMap((transaction) => transaction.closesDays);
  return closed.flatMap((dayNumber) => {
    const isFirst = dayNumber === nextUncheckedDay;
    if (isFirst && start?.dayNumber !== dayNumber) return [];
    return listsOf(dayNumber).flatMap(({ frequency, ids }) =>
      ids.flatMap((id, index) => {
        if (handled.has(`${dayNumber}:${id}`)) return [];
        if (isFirst && start !== undefined) {
          if (frequency < start.frequency) return [];
          if (frequency === start.frequency && index + 1 > start.listPosition) return [];
        }
        return [{ id, dayNumber }];
      }),
    );
  });
}

/** The unhandled ids that somebody would have been charged for: not those cancelled, paused, or without active subscribers. */
export function findMissed(
  plan: SimulatedPlan,
  unhandled: readonly UnhandledId[],
  facts: DueFacts,
): MissedSubscription[] {
  return unhandled.flatMap(({ id, dayNumber }) => {
    const record = facts.records.get(id);
    if (record === undefined || record.cancelled || facts.pausedTokens.has(record.token)) return [];
    const subscribers = (facts.activeCounts.get(id) ?? 0) - failuresBefore(plan, id, dayNumber).length;
    return subscribers > 0 ? [{ id, dayNumber, subscribers }] : [];
  });
}

/** Subscribers of `id` that the plan itself unsubscribes on days before `dayNumber`. */
export function failuresBefore(plan: SimulatedPlan, id: Hex, dayNumber: number): Address[] {
  return plan.transactions
    .filter((transaction) => transaction.day < dayNumber)
    .flatMap((transaction) => transaction.failed.filter((failure) => failure.id === id))
    .map((failure) => failure.subscriber);
}
