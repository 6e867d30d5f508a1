import { DAY_MS, DAY_SECONDS } from "./dayNumber";

/** Last day that a JavaScript date can hold: 8.64e15 ms after the epoch. */
const LAST_DATE_DAY = 100_000_000;

const DATE = /^(\d{4})-(\d{2})-(\d{2})$/;

/** `YYYY-MM-DD` of a day number, or null outside the range of a JavaScript date. */
export function dayToDate(day: number): string | null {
  if (day < 0 || day > LAST_DATE_DAY) return null;
  const text = new Date(day * DAY_MS).toISOString();
  // Years above 9999 are written as +010000-01-01T...: the sign and a zero after it are removed.
  return text.slice(0, text.indexOf("T")).replace("+0", "").replace("+", "");
}

/** Day number of a `YYYY-MM-DD`, or null where the text is not a date of the calendar (2026-02-30). */
export function dateToDay(date: string): number | null {
  if (!DATE.test(date)) return null;
  const milliseconds = Date.parse(`${date}T00:00:00Z`);
  if (Number.isNaN(milliseconds) || milliseconds < 0) return null;
  const day = milliseconds / DAY_MS;
  return dayToDate(day) === date ? day : null;
}

/** ISO 8601 UTC of unix seconds, or null outside the range of a JavaScript date. */
export function timestampToIso(timestamp: bigint | number): string | null {
  const seconds = Number(timestamp);
  if (seconds < 0 || seconds > LAST_DATE_DAY * DAY_SECONDS) return null;
  return new Date(seconds * 1000).toISOString();
}
