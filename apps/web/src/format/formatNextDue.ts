import { dateOfDay, formatDate } from "./formatDate";

const DAY_SECONDS = 86_400;

/**
 * The day of a next payment, or since when it is overdue: until a keeper settles a day, its payments stay the next ones.
 *
 * @param date YYYY-MM-DD
 * @param asOf the block of the answer: its time may differ from the browser's
 */
export function formatNextDue(date: string, { blockTimestamp }: { blockTimestamp: number }): string {
  const isOverdue = date < dateOfDay(Math.floor(blockTimestamp / DAY_SECONDS));
  return isOverdue ? `overdue since ${formatDate(date)}` : formatDate(date);
}
