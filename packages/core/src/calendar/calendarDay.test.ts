import { expect, test } from "bun:test";
import { readVectors } from "@dueday/core/test/readVectors";
import fc from "fast-check";
import { calendarDay } from "./calendarDay";
import { dateToDay, dayToDate, timestampToIso } from "./dates";
import { DAY_MS, DAY_SECONDS, dayNumber } from "./dayNumber";

test("every recorded day of 2024 to 2029 has its number in all four countings", async () => {
  const rows = await readVectors("calendar.csv");
  expect(rows.length).toBe(2192);
  for (const row of rows) {
    const day = Number(row.dayNumber);
    const { weekDay, dayOfMonth, quarterDay, yearDay } = calendarDay(day);
    expect(`${dayToDate(day)},${weekDay},${dayOfMonth},${quarterDay},${yearDay}`).toBe(
      `${row.date},${row.weekDay},${row.dayOfMonth},${row.quarterDay},${row.yearDay}`,
    );
    expect(dateToDay(row.date ?? "")).toBe(day);
  }
});

test("a day has the year, month and day of the platform's own calendar, as far as that reaches", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000_000 }), (day) => {
      const date = new Date(day * DAY_SECONDS * 1000);
      const { year, month, dayOfMonth, weekDay } = calendarDay(day);
      expect([year, month, dayOfMonth, weekDay % 7]).toEqual([
        date.getUTCFullYear(),
        date.getUTCMonth() + 1,
        date.getUTCDate(),
        date.getUTCDay(),
      ]);
    }),
  );
});

test("consecutive days follow each other in every counting, up to the last day a uint40 can hold", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2 ** 40 - 2 }), (day) => {
      const today = calendarDay(day);
      const tomorrow = calendarDay(day + 1);
      expect(tomorrow.weekDay).toBe((today.weekDay % 7) + 1);
      expect(tomorrow.dayOfMonth).toBe(today.dayOfMonth === today.daysInMonth ? 1 : today.dayOfMonth + 1);
      expect(tomorrow.quarterDay).toBe(today.quarterDay === today.daysInQuarter ? 1 : today.quarterDay + 1);
      expect(tomorrow.yearDay).toBe(today.yearDay === today.daysInYear ? 1 : today.yearDay + 1);
    }),
  );
});

test("a time that no date can hold is null, and a date that no calendar has is refused", () => {
  expect(timestampToIso(2n ** 40n - 1n)).toBe("+036812-02-20T00:36:15.000Z");
  const last = Date.UTC(9999, 11, 31) / DAY_MS;
  expect([dayToDate(last), dayToDate(last + 1), dayToDate(2 ** 40 - 1)]).toEqual(["9999-12-31", null, null]);
  expect(timestampToIso(2n ** 60n)).toBeNull();
  for (const date of ["2026-02-29", "2026-13-01", "2026-1-1", "20260101", "", "1969-12-31"]) {
    expect(dateToDay(date)).toBeNull();
  }
});

test("a day number changes at midnight UTC, not before", () => {
  expect(dayNumber(86_399n)).toBe(0);
  expect(dayNumber(86_400n)).toBe(1);
});
