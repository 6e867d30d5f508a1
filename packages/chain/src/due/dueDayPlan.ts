import type { ForecastPayment } from "@dueday/core/remit/forecastFromPlan";
import type { SettledCharge, SettledDay, UnchargedSubscription } from "@dueday/core/remit/settledDay";
import type { RemitState } from "@dueday/core/remit/state";
import type { Hex } from "viem";
import type { DueFacts } from "./readDueFacts";

/** What remit() will do from now on. */
export type DueOutlook = {
  /** Days up to this one are planned. */
  lastDay: number;
  /** By day number, in order; null where neither model nor simulation shows them. */
  payments: ReadonlyMap<number, readonly ForecastPayment[]> | null;
  /** The first day that remit() can't close; null where it closes all. */
  blockedFrom: number | null;
  /** The contract has a checkpoint: a page of the next unchecked day is settled. */
  isPaged: boolean;
  /** The state with the lists and the subscriptions of all days that are planned. */
  state: RemitState;
};

/** Everything that decides what a due day shows, at one block. */
export type DueDayFacts = DueFacts & {
  today: number;
  nextUncheckedDay: number;
  /** Null where the node can't give the state that decides it. */
  outlook: DueOutlook | null;
  /** By day number; null where the events are not known. */
  settled: ReadonlyMap<number, SettledDay> | null;
};

/** What is known of one day, from the events and from the plan. */
export type DueDayPlan = {
  isClosed: boolean;
  isUpcoming: boolean;
  /** A page of the day is settled: the contract has a checkpoint in it. */
  isPaged: boolean;
  /** remit() does not close the day. */
  isBlocked: boolean;
  /** What was charged; null where the events are not known. */
  charges: ReadonlyMap<Hex, SettledCharge> | null;
  /** What remit() will still handle; null where no plan is known: then every active subscriber counts. */
  payments: ReadonlyMap<Hex, Planned> | null;
  /** What was passed over, or will be. */
  missed: ReadonlyMap<Hex, UnchargedSubscription>;
};

type Planned = { readonly payments: number; readonly failures: number };

/** Shared by subscriptions with one subscriber, of which a contract may have a million. */
const PAID: Planned = { payments: 1, failures: 0 };
const FAILED: Planned = { payments: 1, failures: 1 };

export function planOfDay(day: number, facts: DueDayFacts): DueDayPlan {
  const { today, nextUncheckedDay, outlook, settled } = facts;
  const isClosed = day < nextUncheckedDay;
  const isUpcoming = day > today;
  const record = settled?.get(day);
  // Only the next unchecked day can be charged, and only once it has come: nothing was charged for later days.
  const isUntouched = !isClosed && (isUpcoming || day > nextUncheckedDay);
  const charges =
    settled === null && !isUntouched ? null : new Map((record?.charges ?? []).map((charge) => [charge.id, charge]));
  const isPaged = day === nextUncheckedDay && outlook?.isPaged === true;
  const blockedFrom = outlook?.blockedFrom ?? null;
  const isBlocked = !isClosed && blockedFrom !== null && day >= blockedFrom;
  const planned = isClosed ? null : plannedOf(day, facts);
  return {
    isClosed,
    isUpcoming,
    isPaged,
    isBlocked,
    charges,
    payments: planned?.payments ?? (isBlocked ? new Map() : null),
    missed: isClosed ? missedByRecord(record?.uncharged ?? [], facts) : (planned?.missed ?? new Map()),
  };
}

/** The plan's payments of a day by id, and what it passes over; null where no plan reaches the day. */
function plannedOf(day: number, { outlook, records }: DueDayFacts) {
  if (outlook === null || outlook.payments === null || day > outlook.lastDay) return null;
  const payments = new Map<Hex, Planned>();
  const missed = new Map<Hex, UnchargedSubscription>();
  for (const { id, outcome } of outlook.payments.get(day) ?? []) {
    if (outcome === "skipped") continue;
    if (outcome === "missed") {
      const record = records.get(id);
      if (record === undefined) continue;
      const { token, frequency, amount } = record;
      missed.set(id, { id, token, frequency, amount, subscribers: (missed.get(id)?.subscribers ?? 0) + 1 });
      continue;
    }
    const one = outcome === "fails_allowance" || outcome === "fails_balance" ? FAILED : PAID;
    const own = payments.get(id);
    payments.set(id, own === undefined ? one : { payments: own.payments + 1, failures: own.failures + one.failures });
  }
  return { payments, missed };
}

/** If the token of an id is paused at present, the id counts as skipped: pausing emits no event, so whether it was paused on the day is not known. */
function missedByRecord(uncharged: readonly UnchargedSubscription[], { pausedTokens }: DueDayFacts) {
  return new Map(uncharged.filter(({ token }) => !pausedTokens.has(token)).map((each) => [each.id, each]));
}
