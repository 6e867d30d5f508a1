import type { Frequency } from "../calendar/frequency";
import { nextChargeDay } from "../calendar/nextChargeDay";
import { nextDueDay } from "../calendar/nextDueDay";
import type { EntitlementState } from "./entitlement";

/** Why an account is no longer subscribed. `cancellation`: the janitor removed it after the provider had cancelled. */
export type LeavingReason = "subscriber" | "provider" | "failure" | "cancellation";

/** What the logs record of one account and one subscription up to a block. */
export type MembershipHistory = {
  frequency: Frequency;
  dueDay: number;
  cancelled: boolean;
  /** Unix seconds of the last time it subscribed; null if it never did. */
  subscribedAt: number | null;
  /** Null while it is subscribed, and where it never was. */
  left: LeavingReason | null;
  /** The last charge that succeeded. `day` is the due day it was for; of an initial charge, the day it was made on. */
  lastPayment: { timestamp: number; day: number; kind: "initial" | "recurring" } | null;
};

export type EntitlementFacts = {
  history: MembershipHistory;
  nextUncheckedDay: number;
  today: number;
  /** The protocol has paused the token: remit() does not charge subscriptions in it. */
  isPaused: boolean;
};

/** Days are day numbers. */
export type Entitlement = {
  entitled: boolean;
  state: EntitlementState;
  paidThroughDay: number | null;
  nextDueDay: number | null;
};

/**
 * Whether an account may use what it subscribed to. The states active and past_due are entitled: a charge that no keeper has tried yet
 * is not the subscriber's fault, and with a paused token no charge is due. An account that unsubscribed, or whose subscription was
 * cancelled, is entitled until the end of what it has paid for; one that failed, was removed or never subscribed is not.
 */
export function entitlementOf({ history, nextUncheckedDay, today, isPaused }: EntitlementFacts): Entitlement {
  const { frequency, dueDay, subscribedAt, lastPayment } = history;
  if (subscribedAt === null) return { entitled: false, state: "never", paidThroughDay: null, nextDueDay: null };
  const paidThroughDay = lastPayment === null ? null : nextDueDay(frequency, dueDay, lastPayment.day + 1) - 1;
  const isPaid = paidThroughDay !== null && today <= paidThroughDay;
  if (history.left !== null || history.cancelled) {
    const state = stateAfter(history);
    const entitled = isPaid && (state === "unsubscribed" || state === "cancelled");
    return { entitled, state, paidThroughDay, nextDueDay: null };
  }
  if (isPaused) return { entitled: true, state: "active", paidThroughDay, nextDueDay: null };
  const nextDue = nextChargeDay({
    frequency,
    dueDay,
    nextUncheckedDay,
    // A page of remit() may have charged this subscriber for the day that is still open.
    isCharged: (day) => lastPayment?.kind !== "recurring" || day > lastPayment.day,
  });
  const state = nextDue <= today ? "past_due" : "active";
  return { entitled: true, state, paidThroughDay, nextDueDay: nextDue };
}

/** The state of an account that left, or whose subscription was cancelled. Where both apply, the reason for which it left decides. */
function stateAfter({ left }: MembershipHistory): "failed" | "removed" | "unsubscribed" | "cancelled" {
  switch (left) {
    case "failure":
      return "failed";
    case "provider":
      return "removed";
    case "subscriber":
      return "unsubscribed";
    default:
      return "cancelled";
  }
}
