import { expect, test } from "bun:test";
import type { DuedayEvent } from "@dueday/sdk";
import { atRiskOf } from "./atRiskOf";

/** The fields that decide; the page takes the others from the service. */
function event(seq: number, type: DuedayEvent["type"], data: object, block = seq): DuedayEvent {
  return { seq, id: `evt_${seq}`, type, data, block: { number: String(block) } } as unknown as DuedayEvent;
}

const willFail = (seq: number, subscriber: string, dayNumber: number, id = "0x1") =>
  event(seq, "payment.will_fail", { id, subscriber, dayNumber });
const seqs = (events: readonly DuedayEvent[], firstOpenDay = 0) => atRiskOf(events, firstOpenDay).map(({ seq }) => seq);

test("lists the latest forecast failure of each subscriber and subscription, the next due first", () => {
  expect(seqs([willFail(1, "a", 9), willFail(2, "b", 5), willFail(3, "a", 7), willFail(4, "a", 1, "0x2")])).toEqual([
    4, 2, 3,
  ]);
});

test.each(["payment.paid", "payment.failed", "subscription.unsubscribed"] as const)(
  "a subscriber is no longer at risk after %s, until the next forecast",
  (type) => {
    const after = [willFail(1, "a", 9), willFail(2, "b", 9), event(3, type, { id: "0x1", subscriber: "a" })];
    expect(seqs(after)).toEqual([2]);
    expect(seqs([...after, willFail(4, "a", 16)])).toEqual([2, 4]);
  },
);

test("a payment of an older block that is indexed late changes nothing", () => {
  expect(seqs([willFail(12, "a", 9), event(13, "payment.paid", { id: "0x1", subscriber: "a" }, 9)])).toEqual([12]);
});

test("a payment whose day is closed was made, or passed over: nobody is at risk for it any more", () => {
  expect(seqs([willFail(1, "a", 5), willFail(2, "b", 6)], 6)).toEqual([2]);
});

test("a forecast that a reorganisation took back is not listed", () => {
  const taken = event(2, "event.retracted", { id: "evt_1", type: "payment.will_fail" });
  expect(seqs([willFail(1, "a", 9), taken])).toEqual([]);
});
