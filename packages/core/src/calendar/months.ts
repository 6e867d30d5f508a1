import { DAY_MS } from "./dayNumber";

/** The month of a day number: 12 x year + month, where January is 0, so that consecutive months have consecutive numbers. */
export function monthOfDay(day: number): number {
  const date = new Date(day * DAY_MS);
  return date.getUTCFullYear() * 12 + date.getUTCMonth();
}

/** The first day number of a month. */
export function firstDayOfMonth(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12) / DAY_MS;
}

/** A month as text: `2026-03`. */
export function monthToText(month: number): string {
  return `${String(Math.floor(month / 12)).padStart(4, "0")}-${String((month % 12) + 1).padStart(2, "0")}`;
}
