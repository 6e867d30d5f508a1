/** A day in UTC with its number in each of the protocol's four ways of counting (protocol part 3). */
export type CalendarDay = {
  year: number;
  /** 1..12 */
  month: number;
  /** 1 = Monday .. 7 = Sunday */
  weekDay: number;
  /** 1..31 */
  dayOfMonth: number;
  /** Day of the calendar quarter, 1..92 */
  quarterDay: number;
  /** 1..366 */
  yearDay: number;
  daysInMonth: number;
  daysInQuarter: number;
  daysInYear: number;
};

const DAYS_BEFORE_MONTH = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365] as const;
const DAYS_PER_ERA = 146_097; // 400 years of the Gregorian calendar
const DAYS_FROM_0000_TO_1970 = 719_528;

function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

/** Days of the year before the first of `month` (1..13; 13 gives the length of the year). */
function daysBefore(month: number, leap: boolean): number {
  const days = DAYS_BEFORE_MONTH[month - 1];
  if (days === undefined) throw new RangeError(`month ${month} is not in 1..13`);
  return leap && month > 2 ? days + 1 : days;
}

/** Days between 0000-01-01 and the first of January of `year`. */
function daysBeforeYear(year: number): number {
  const past = year - 1;
  return year * 365 + Math.floor(past / 4) - Math.floor(past / 100) + Math.floor(past / 400) + 1;
}

/**
 * The calendar of a day number (days since 1970-01-01, UTC). Works far beyond what a `Date` can hold, because the protocol's
 * days are uint40 and its admin may set any of them.
 */
export function calendarDay(day: number): CalendarDay {
  const days = day + DAYS_FROM_0000_TO_1970;
  let year = Math.floor((days * 400) / DAYS_PER_ERA);
  while (daysBeforeYear(year + 1) <= days) year++;
  while (daysBeforeYear(year) > days) year--;
  const leap = isLeapYear(year);
  const yearDay = days - daysBeforeYear(year) + 1;
  let month = Math.min(12, Math.floor((yearDay + 30) / 29));
  while (daysBefore(month, leap) >= yearDay) month--;
  const quarterStart = month - ((month - 1) % 3);
  return {
    year,
    month,
    weekDay: ((((day + 3) % 7) + 7) % 7) + 1,
    dayOfMonth: yearDay - daysBefore(month, leap),
    quarterDay: yearDay - daysBefore(quarterStart, leap),
    yearDay,
    daysInMonth: daysBefore(month + 1, leap) - daysBefore(month, leap),
    daysInQuarter: daysBefore(quarterStart + 3, leap) - daysBefore(quarterStart, leap),
    daysInYear: daysBefore(13, leap),
  };
}
