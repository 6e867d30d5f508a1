import type { Address, Hex } from "viem";
import type { RemitCall } from "./remitCall";
import type { RemitSubscription } from "./state";

/** Records one entry that the call does not charge. */
export function recordEntry(call: RemitCall, id: Hex, subscriber: Address, outcome: "skipped" | "missed"): void {
  const { transaction, day } = call;
  call.outcomes.push({ transaction, id, subscriber, dayNumber: day, outcome, callerFee: 0n, lack: null });
}

/** Records the entries of an id that is cancelled or whose token is paused: its day is closed unpaid. */
export function recordSkipped(call: RemitCall, subscription: RemitSubscription): void {
  const { id } = subscription;
  const { subscribers } = call.state.set(subscription);
  // Earlier calls have handled the entries above the checkpoint's position.
  const last = call.resume?.id === id && !call.met ? call.resume.subscriberIndex : subscribers.length;
  for (const { subscriber } of subscribers.slice(0, last).reverse()) recordEntry(call, id, subscriber, "skipped");
}

/** Records a due id that no call of this day will reach (protocol part 7, Payments missed by paging). */
export function recordMissed(call: RemitCall, subscription: RemitSubscription): void {
  const { id } = subscription;
  const { subscribers, unsubscribed } = call.state.set(subscription);
  const due = subscribers.filter(({ subscriber }) => !unsubscribed.has(subscriber));
  if (due.length === 0) return;
  call.missed.push({ id, dayNumber: call.day, subscribers: due.length });
  for (const { subscriber } of due.reverse()) recordEntry(call, id, subscriber, "missed");
}
