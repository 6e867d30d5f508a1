import { calendarDay } from "./calendarDay";
import { dueDayOf, type Frequency } from "./frequency";

/** Length of a period as the contract counts it: 90 and 365 in every quarter and year, unless today is past them. */
function contractPeriod(frequency: Frequency, position: number, daysInMonth: number): number {
  switch (frequency) {
    case 0:
      return 7;
    case 1:
      return daysInMonth;
    case 2:
      return Math.max(90, position);
    case 3:
      return Math.max(365, position);
  }
}

/**
 * What a subscriber pays for the time until the next due day, when joining on `day` (day number). All amounts have 18
 * decimals; integer division everywhere (protocol part 4, Proration).
 */
export function prorate(amount: bigint, frequency: Frequency, dueDay: number, day: number): bigint {
  const today = calendarDay(day);
  const position = dueDayOf(today, frequency);
  if (position === dueDay) return amount;
  const length = contractPeriod(frequency, position, today.daysInMonth);
  const daily = frequency === 1 ? (amount * 12n) / 365n : amount / BigInt(length);
  const days = position > dueDay ? length - (position - dueDay) : dueDay - position;
  return daily * BigInt(days);
}
