import { calendarDay } from "../calendar/calendarDay";
import { dueDayOf, FREQUENCIES, type Frequency } from "../calendar/frequency";
import { openCharge } from "./charge";
import { chargeSubscribers } from "./chargeSubscribers";
import { recordMissed, recordSkipped } from "./recordUncharged";
import type { RemitCall } from "./remitCall";
import type { RemitSubscription } from "./state";

/** Settles `call.day`, or a page of it (protocol part 5, rule 2). False where the page is full before the whole day is settled. */
export function settleDay(call: RemitCall): boolean {
  const day = calendarDay(call.day);
  for (const frequency of FREQUENCIES) {
    if (call.resume !== null && frequency < call.resume.frequency) continue;
    if (!settleList(call, frequency, dueDayOf(day, frequency))) return false;
  }
  return true;
}

function settleList(call: RemitCall, frequency: Frequency, dueDay: number): boolean {
  const { state, meter } = call;
  meter?.dueList(frequency, dueDay, state.dueList(frequency, dueDay).length);
  for (let position = firstPosition(call, frequency, dueDay); position > 0; position--) {
    const id = state.dueList(frequency, dueDay)[position - 1];
    if (id === undefined) break;
    const subscription = state.subscription(id);
    const { subscribers } = state.set(subscription);
    meter?.dueEntry(frequency, dueDay, position, subscription, subscribers.length);
    if (subscribers.length === 0) {
      meter?.removeDue(frequency, dueDay, position, state.dueList(frequency, dueDay));
      state.removeDue(frequency, dueDay, position);
      continue;
    }
    call.dayHasDue = true;
    meter?.readRecord(subscription);
    if (isChargeable(call, subscription)) {
      if (!chargeSubscribers(call, openCharge(call, subscription, position))) return false;
      continue;
    }
    recordSkipped(call, subscription);
    meter?.count("skippedId");
    if (subscription.cancelled) {
      meter?.removeDue(frequency, dueDay, position, state.dueList(frequency, dueDay));
      state.removeDue(frequency, dueDay, position);
    }
    if (call.resume?.id === id) {
      meter?.storeCheckpoint(null);
      state.checkpoint = null;
      call.resume = null;
    }
  }
  return true;
}

/** The position to start from: the end of the list, or the checkpoint's list position, which applies to later frequencies as well. */
function firstPosition(call: RemitCall, frequency: Frequency, dueDay: number): number {
  const list = call.state.dueList(frequency, dueDay);
  const { resume } = call;
  if (resume === null || list.length <= resume.subscriptionIndex) return list.length;
  // In the checkpoint's own frequency, earlier calls handled the entries above.
  if (frequency > resume.frequency) {
    for (const id of list.slice(resume.subscriptionIndex).reverse()) {
      const subscription = call.state.subscription(id);
      if (isChargeable(call, subscription)) recordMissed(call, subscription);
    }
  }
  return resume.subscriptionIndex;
}

function isChargeable(call: RemitCall, subscription: RemitSubscription): boolean {
  return !subscription.cancelled && !call.state.ledger(subscription.token).token.paused;
}
