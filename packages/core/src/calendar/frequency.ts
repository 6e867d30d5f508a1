import type { FrequencyLabel } from "../schema";
import type { CalendarDay } from "./calendarDay";

/** 0 = weekly, 1 = monthly, 2 = quarterly, 3 = yearly (protocol part 1). */
export type Frequency = 0 | 1 | 2 | 3;

export const FREQUENCIES: readonly Frequency[] = [0, 1, 2, 3];

const LABELS = ["WEEKLY", "MONTHLY", "QUARTERLY", "YEARLY"] as const satisfies readonly FrequencyLabel[];
const LAST_DUE_DAYS = [7, 28, 90, 365] as const;

/** Narrows a number from the chain or a request; the protocol has no frequency above 3. */
export function toFrequency(value: number | bigint): Frequency {
  const number = Number(value);
  if (number === 0 || number === 1 || number === 2 || number === 3) return number;
  throw new RangeError(`frequency ${value} is not 0 (weekly), 1 (monthly), 2 (quarterly) or 3 (yearly)`);
}

export function frequencyLabel(frequency: Frequency): FrequencyLabel {
  return LABELS[frequency];
}

/** The highest dueDay that a subscription of this frequency can have; the lowest is always 1. */
export function lastDueDay(frequency: Frequency): number {
  return LAST_DUE_DAYS[frequency];
}

/** The due days of a frequency in words, such as "1..28 for monthly". */
export function dueDayBounds(frequency: Frequency): string {
  return `1..${lastDueDay(frequency)} for ${frequencyLabel(frequency).toLowerCase()}`;
}

/** The number that `day` has in the frequency's own counting (protocol part 3). May be above `lastDueDay`. */
export function dueDayOf(day: CalendarDay, frequency: Frequency): number {
  return [day.weekDay, day.dayOfMonth, day.quarterDay, day.yearDay][frequency] ?? 0;
}

/** Length of the period that `day` lies in, in the frequency's own counting. */
export function periodLength(day: CalendarDay, frequency: Frequency): number {
  return [7, day.daysInMonth, day.daysInQuarter, day.daysInYear][frequency] ?? 0;
}
