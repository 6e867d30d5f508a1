import { expect, test } from "bun:test";
import fc from "fast-check";
import { dateToDay, dayToDate } from "./dates";
import { periodOf, periodsBefore, periodsOf } from "./periods";

const day = (date: string) => dateToDay(date) ?? Number.NaN;
const dates = ({ start, end }: { start: number; end: number }) => `${dayToDate(start)}..${dayToDate(end)}`;

test.each([
  ["2024-02-10", "day", "2024-02-10..2024-02-10"],
  ["2024-02-10", "month", "2024-02-01..2024-02-29"],
  ["2026-12-31", "month", "2026-12-01..2026-12-31"],
  ["2026-11-22", "week", "2026-11-16..2026-11-22"],
  ["2026-11-23", "week", "2026-11-23..2026-11-29"],
  ["1970-01-02", "month", "1970-01-01..1970-01-31"],
] as const)("the period of %s by %s is %s", (date, length, expected) => {
  expect(dates(periodOf(day(date), length))).toBe(expected);
});

test("the first and the last period are cut to the range", () => {
  const range = { start: day("2026-01-15"), end: day("2026-03-02") };
  expect(periodsOf(range, "month", 400)?.map(dates)).toEqual([
    "2026-01-15..2026-01-31",
    "2026-02-01..2026-02-28",
    "2026-03-01..2026-03-02",
  ]);
});

test("more periods than allowed are null, exactly as many are returned", () => {
  const range = { start: 100, end: 199 };
  expect(periodsOf(range, "day", 99)).toBeNull();
  expect(periodsOf(range, "day", 100)).toHaveLength(100);
});

test("periods before a day begin at the start of a period, and not before 1970", () => {
  expect(dayToDate(periodsBefore(day("2026-03-31"), "month", 1))).toBe("2026-02-01");
  expect(dayToDate(periodsBefore(day("2026-11-22"), "week", 2))).toBe("2026-11-02");
  expect(periodsBefore(3, "month", 12)).toBe(0);
});

test("periods of any range cover each of its days once", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 40_000 }),
      fc.integer({ min: 0, max: 300 }),
      fc.constantFrom("day" as const, "week" as const, "month" as const),
      (start, length, by) => {
        const periods = periodsOf({ start, end: start + length }, by, 400) ?? [];
        const days = periods.flatMap((each) =>
          Array.from({ length: each.end - each.start + 1 }, (_, n) => each.start + n),
        );
        expect(days).toEqual(Array.from({ length: length + 1 }, (_, n) => start + n));
      },
    ),
  );
});
