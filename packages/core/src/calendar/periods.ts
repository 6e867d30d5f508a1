import { firstDayOfMonth, monthOfDay } from "./months";

/** How days are grouped: single days, weeks that begin on Monday, or months of the calendar. All in UTC. */
export type PeriodLength = "day" | "week" | "month";

/** The days of a period, as day numbers; both ends are included. */
export type Period = { start: number; end: number };

/** Day 4, 1970-01-05, was a Monday. */
const FIRST_MONDAY = 4;

/** The whole period that contains a day. */
export function periodOf(day: number, length: PeriodLength): Period {
  switch (length) {
    case "day":
      return { start: day, end: day };
    case "week": {
      const start = day - ((((day - FIRST_MONDAY) % 7) + 7) % 7);
      return { start, end: start + 6 };
    }
    case "month": {
      const month = monthOfDay(day);
      return { start: firstDayOfMonth(month), end: firstDayOfMonth(month + 1) - 1 };
    }
  }
}

/**
 * The periods that cover a range of days, oldest first. The first and the last are cut to the range.
 *
 * @returns null where there are more than `most`
 */
export function periodsOf(range: Period, length: PeriodLength, most: number): Period[] | null {
  const periods: Period[] = [];
  for (let start = range.start; start <= range.end; ) {
    if (periods.length === most) return null;
    const end = Math.min(range.end, periodOf(start, length).end);
    periods.push({ start, end });
    start = end + 1;
  }
  return periods;
}

/** The first day of the period that lies `count` periods before that of a day; never before 1970-01-01. */
export function periodsBefore(day: number, length: PeriodLength, count: number): number {
  let { start } = periodOf(day, length);
  for (let step = 0; step < count; step++) ({ start } = periodOf(start - 1, length));
  return Math.max(0, start);
}
