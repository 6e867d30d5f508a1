import { DAY_MS, DAY_SECONDS } from "./dayNumber";

/** Last day that a JavaScript date can hold: 8.64e15 ms after the epoch. */
const LAST_DATE_DAY = 100_000_000;

/** 9999-12-31. Later days have no date that programs commonly read. */
const LAST_DAY_OF_9999 = 2_932_896;

/** `YYYY-MM-DD` of a day number, or null outside the years 1970 to 9999. */
export function dayToDate(day: number): string | null {
  if (day < 0 || day > LAST_DAY_OF_9999) return null;
  return new Date(day * DAY_MS).toISOString().slice(0, "2026-03-31".length);
}

/** Day number of a `YYYY-MM-DD`, or null where the text is not a date of the calendar (2026-02-30) or is before 1970. */
export function dateToDay(date: string): number | null {
  const day = Date.parse(`${date}T00:00:00Z`) / DAY_MS;
  return !Number.isNaN(day) && dayToDate(day) === date ? day : null;
}

/** ISO 8601 UTC of unix seconds, or null before 1970 or beyond the range of a JavaScript date. */
export function timestampToIso(timestamp: bigint | number): string | null {
  const seconds = Number(timestamp);
  if (seconds < 0 || seconds > LAST_DATE_DAY * DAY_SECONDS) return null;
  return new Date(seconds * 1000).toISOString();
}
