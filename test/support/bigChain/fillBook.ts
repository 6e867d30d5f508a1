import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, FREQUENCIES, type Frequency, lastDueDay } from "@dueday/core/calendar/frequency";
import { numberToHex } from "viem";
import type { Book, BookEntry } from "./createBook";

/** `day`: yearly ones, all due today. `spread`: over all frequencies and all days of each. */
export type BookShape = "day" | "spread";

const WHOLE = 10n ** 18n;
const UNIT = 10n ** 6n;
const PROVIDERS = 50;
/** One in this number of subscribers can't pay. */
const FAILING = 50;

/** Adds `size` subscriptions to an empty book. What is due is known by arithmetic: see `dueCounts`. */
export function fillBook(book: Book, { size, shape, today }: { size: number; shape: BookShape; today: number }): void {
  for (let place = 0; place < size; place++) book.add(entryAt(place, termsOf(place, shape, today)), 0);
}

/** The entry that is the `place`-th of any book. */
export function entryAt(place: number, terms: Pick<BookEntry, "frequency" | "dueDay">): BookEntry {
  return {
    ...terms,
    id: numberToHex(place + 1, { size: 32 }),
    amount: 5n * WHOLE,
    provider: numberToHex(0x2000 + (place % PROVIDERS), { size: 20 }),
    cancelled: false,
    subscriber: numberToHex(0x1000_0000 + place, { size: 20 }),
    subscribed: true,
    feeBalance: WHOLE,
    balance: place % FAILING === 0 ? 0n : 900n * UNIT,
    allowance: 10_000n * UNIT,
  };
}

/** Subscriptions that are due on a day, by frequency: counted from the terms alone. */
export function dueCounts(size: number, shape: BookShape, today: number, day: number): number[] {
  const calendar = calendarDay(day);
  const counts = FREQUENCIES.map(() => 0);
  for (let place = 0; place < size; place++) {
    const { frequency, dueDay } = termsOf(place, shape, today);
    if (dueDayOf(calendar, frequency) === dueDay) counts[frequency] = (counts[frequency] ?? 0) + 1;
  }
  return counts;
}

export function termsOf(place: number, shape: BookShape, today: number): { frequency: Frequency; dueDay: number } {
  if (shape === "day") return { frequency: 3, dueDay: Math.min(dueDayOf(calendarDay(today), 3), lastDueDay(3)) };
  const frequency = FREQUENCIES[place % FREQUENCIES.length] ?? 0;
  return { frequency, dueDay: 1 + (Math.floor(place / FREQUENCIES.length) % lastDueDay(frequency)) };
}
