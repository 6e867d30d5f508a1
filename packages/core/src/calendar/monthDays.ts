import { calendarDay } from "./calendarDay";
import { dateToDay } from "./dates";

/** The day numbers of a month `YYYY-MM`; null where the text is not a month from 1970-01 on. */
export function monthDays(month: string): number[] | null {
  const first = dateToDay(`${month}-01`);
  if (first === null) return null;
  return Array.from({ length: calendarDay(first).daysInMonth }, (_, offset) => first + offset);
}
