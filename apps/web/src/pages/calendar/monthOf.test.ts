import { expect, test } from "bun:test";
import { addMonths, weekdayOf, weeksOf } from "./monthOf";

test("months follow each other over the end of a year", () => {
  expect([addMonths("2026-12", 1), addMonths("2026-01", -1), addMonths("2026-03", -15)]).toEqual([
    "2027-01",
    "2025-12",
    "2024-12",
  ]);
});

test("a week begins on Monday", () => {
  expect(["2026-11-16", "2026-11-22"].map(weekdayOf)).toEqual([0, 6]);
});

test("each day of a month stands in the column of its weekday, and every row has seven", () => {
  for (const [month, length, rows] of [
    ["2026-02", 28, 5],
    ["2027-02", 28, 4],
    ["2026-03", 31, 6],
  ] as const) {
    const days = Array.from({ length }, (_, day) => ({ date: `${month}-${String(day + 1).padStart(2, "0")}` }));
    const weeks = weeksOf(days);
    expect([month, weeks.length, weeks.flat().filter(Boolean).length]).toEqual([month, rows, length]);
    for (const week of weeks) {
      expect(week).toHaveLength(7);
      for (const [column, day] of week.entries()) if (day !== null) expect(weekdayOf(day.date)).toBe(column);
    }
  }
});
