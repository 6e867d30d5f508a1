import { calendarDay } from "./calendarDay";
import { dueDayOf, type Frequency, periodLength } from "./frequency";

/**
 * The first day number from `fromDay` on (that day included) on which a subscription falls due. Every period is at least as
 * long as the highest dueDay of its frequency, so there is one in this period or the next.
 */
export function nextDueDay(frequency: Frequency, dueDay: number, fromDay: number): number {
  const today = calendarDay(fromDay);
  const position = dueDayOf(today, frequency);
  if (dueDay >= position) return fromDay + dueDay - position;
  return fromDay + periodLength(today, frequency) - position + dueDay;
}
