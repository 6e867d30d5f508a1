import { expect, test } from "bun:test";
import fc from "fast-check";
import { calendarDay } from "./calendarDay";
import { countDueDays } from "./countDueDays";
import { dueDayOf, lastDueDay, toFrequency } from "./frequency";

const subscription = fc.integer({ min: 0, max: 3 }).chain((frequency) =>
  fc.record({
    frequency: fc.constant(toFrequency(frequency)),
    dueDay: fc.integer({ min: 1, max: lastDueDay(toFrequency(frequency)) }),
  }),
);

test("due days are counted as the calendar has them, both ends included", () => {
  fc.assert(
    fc.property(subscription, fc.nat(25_000), fc.nat(800), ({ frequency, dueDay }, from, length) => {
      const days = Array.from({ length }, (_, index) => from + index);
      const due = days.filter((day) => dueDayOf(calendarDay(day), frequency) === dueDay);
      expect(countDueDays({ frequency, dueDay, from, to: from + length - 1 })).toBe(due.length);
    }),
  );
});

test("no day is due between a next unchecked day in the future and today", () => {
  expect(countDueDays({ frequency: 0, dueDay: 1, from: 1_099_511_627_775, to: 20_000 })).toBe(0);
});
