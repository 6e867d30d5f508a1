import { expect, test } from "bun:test";
import fc from "fast-check";
import { calendarDay } from "./calendarDay";
import { dueDayOf, FREQUENCIES, type Frequency, lastDueDay } from "./frequency";
import { nextDueDay } from "./nextDueDay";

test("the next due day is the first day from today on that has the dueDay's number", () => {
  const subscription = fc
    .constantFrom(...FREQUENCIES)
    .chain((frequency) => fc.tuple(fc.constant(frequency), fc.integer({ min: 1, max: lastDueDay(frequency) })));
  fc.assert(
    fc.property(subscription, fc.integer({ min: 18_000, max: 30_000 }), ([frequency, dueDay], today) => {
      expect(nextDueDay(frequency, dueDay, today)).toBe(firstMatch(frequency, dueDay, today));
    }),
  );
});

function firstMatch(frequency: Frequency, dueDay: number, from: number): number {
  let day = from;
  while (dueDayOf(calendarDay(day), frequency) !== dueDay) day++;
  return day;
}
