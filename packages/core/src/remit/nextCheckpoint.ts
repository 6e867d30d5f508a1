import type { Hex } from "viem";
import { calendarDay } from "../calendar/calendarDay";
import { dueDayOf, FREQUENCIES } from "../calendar/frequency";
import type { RemitEvent } from "./events";
import { type Checkpoint, dueKey, type RemitState } from "./state";

/** Where a payment was handled. */
export type Coordinates = Omit<Extract<RemitEvent, { event: "Coordinates" }>, "event">;

/**
 * The private checkpoint, derived from events: the next entry that remit() would meet after the last payment of a page
 * (protocol part 5, last paragraphs). `state` is that of the block of the page, its own checkpoint unread.
 *
 * `pages` are the Coordinates of nextUncheckedDay, one list for each call that ended with CallerLog(isFinished = false),
 * oldest first. The ids in them tell apart what a removal has moved down its due list after it was handled, and the first
 * of the last page tells where that call began.
 *
 * Null where no entry is left to be met. Exact as long as nothing was cancelled, paused or resumed between the page and the
 * state's block; where the contract's storage can be read, read it instead.
 */
export function nextCheckpoint(state: RemitState, pages: readonly (readonly Coordinates[])[]): Checkpoint | null {
  const last = pages.at(-1)?.at(-1);
  if (last !== undefined && last.subscriberIndex > 1) {
    const { id, subscriberIndex, subscriptionIndex, frequency } = last;
    return { id, subscriberIndex: subscriberIndex - 1, subscriptionIndex, frequency };
  }
  const handled = new Set(pages.flat().map(({ id }) => id));
  const beginning = pages.length > 1 ? pages.at(-1)?.[0] : undefined;
  const day = calendarDay(state.nextUncheckedDay);
  for (const frequency of FREQUENCIES) {
    if (last !== undefined && frequency < last.frequency) continue;
    const list = state.dueLists.get(dueKey(frequency, dueDayOf(day, frequency))) ?? [];
    // A call that began at a checkpoint skips what lies above its list position in later frequencies, too.
    const highest = frequency === last?.frequency ? last.subscriptionIndex - 1 : beginning?.subscriptionIndex;
    for (let position = Math.min(list.length, highest ?? list.length); position > 0; position--) {
      const id = list[position - 1];
      if (id === undefined || handled.has(id)) continue;
      const size = chargeableSize(state, id);
      if (size > 0) return { id, subscriberIndex: size, subscriptionIndex: position, frequency };
    }
  }
  return null;
}

/** Size of the id's subscriber set; 0 where remit() would pass it by. */
function chargeableSize(state: RemitState, id: Hex): number {
  const subscription = state.subscriptions.get(id);
  if (subscription === undefined || subscription.cancelled || state.tokens.get(subscription.token)?.paused) return 0;
  return subscription.subscribers.length;
}
