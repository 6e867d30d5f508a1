import type { DuedayEvent } from "@dueday/sdk";

export type WillFail = Extract<DuedayEvent, { type: "payment.will_fail" }>;

/**
 * The forecast failures that are still open, the next due first: the latest for each subscriber of each subscription, unless its day is
 * closed, or a failure or the subscriber's leave came after it on the chain: an old block that is indexed late has a later place in the
 * list.
 *
 * @param events oldest first
 * @param firstOpenDay the first day that remit() has not closed, as a day number
 */
export function atRiskOf(events: readonly DuedayEvent[], firstOpenDay: number): WillFail[] {
  const open = new Map<string, WillFail>();
  for (const event of events) {
    if (event.type === "event.retracted") {
      for (const [key, { id }] of open) if (id === event.data.id) open.delete(key);
    } else if ("subscriber" in event.data) {
      const key = `${event.data.id} ${event.data.subscriber}`;
      if (event.type === "payment.will_fail") open.set(key, event);
      else if (isAfter(event, open.get(key))) open.delete(key);
    }
  }
  const failing = [...open.values()].filter(({ data }) => data.dayNumber >= firstOpenDay);
  return failing.toSorted((a, b) => a.data.dayNumber - b.data.dayNumber);
}

function isAfter({ block }: DuedayEvent, forecast: WillFail | undefined): boolean {
  return forecast !== undefined && BigInt(block.number) > BigInt(forecast.block.number);
}
