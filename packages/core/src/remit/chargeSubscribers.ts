import type { Charge } from "./charge";
import { forfeitFees, payCaller } from "./payCaller";
import { payPayment } from "./payPayment";
import { recordEntry, recordMissed } from "./recordUncharged";
import type { RemitCall } from "./remitCall";

/**
 * Goes through one id's subscribers from the last to the first (protocol part 5, rules 2a to 2e). False where the page is
 * full: the checkpoint is stored and the call ends.
 */
export function chargeSubscribers(call: RemitCall, charge: Charge): boolean {
  const { subscribers, unsubscribed } = charge.set;
  const { id, frequency } = charge.subscription;
  call.meter?.openId(charge.subscription);
  let position = subscribers.length;
  while (position > 0) {
    if (call.payments >= call.state.origin.maxRemits) {
      const subscriptionIndex = charge.listPosition;
      call.state.checkpoint = { id, subscriberIndex: position, subscriptionIndex, frequency };
      call.meter?.storeCheckpoint(call.state.checkpoint);
      payCaller(call, charge);
      return false;
    }
    if (call.resume !== null && !call.met) {
      const start = call.resume.id === id ? call.resume.subscriberIndex : 0;
      if (start < 1 || start > position) {
        recordMissed(call, charge.subscription);
        return true;
      }
      // Earlier calls handled the entries above. If each call stepped over each of them, a long set would take
      // quadratic time.
      position = start;
      call.met = true;
    }
    const entry = subscribers[position - 1];
    if (entry === undefined) break;
    call.meter?.entry(id, position, entry.subscriber);
    if (unsubscribed.has(entry.subscriber)) {
      recordEntry(call, id, entry.subscriber, "skipped");
    } else {
      payPayment(call, charge, position, entry);
      if (position === 1 && charge.active > 0) {
        payCaller(call, charge);
        return true;
      }
    }
    position--;
  }
  forfeitFees(call, charge);
  return true;
}
