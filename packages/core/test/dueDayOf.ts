import { dayToDate } from "@dueday/core/calendar/dates";
import { type Frequency, frequencyLabel, toFrequency } from "@dueday/core/calendar/frequency";
import type { DueDay, DueSubscription } from "@dueday/core/snapshots/dueDay";

/**
 * A due day with `lengths[n]` entries in the list of frequency n. Equal arguments give equal days.
 *
 * @param subscribersOf subscribers of the entry at an index; default 1
 */
export function dueDayOf(
  dayNumber: number,
  lengths: readonly number[],
  subscribersOf: (index: number) => number = () => 1,
): DueDay {
  const sums = (subscriptions: number, payments: number) => ({
    totals: { subscriptions, payments, expectedFailures: 0, byToken: [] },
    settled: null,
    missed: { subscriptions: 0, payments: 0, byToken: [] },
  });
  const lists = lengths.map((length, place) => {
    const frequency = toFrequency(place);
    const entries = Array.from({ length }, (_, index) => entryOf(frequency, index, subscribersOf(index)));
    const payments = entries.reduce((all, entry) => all + entry.payments, 0);
    return {
      frequency,
      frequencyLabel: frequencyLabel(frequency),
      dueDay: 3,
      skipped: false,
      count: length,
      subscriptions: entries,
      ...sums(length, payments),
    };
  });
  const all = (of: "subscriptions" | "payments") => lists.reduce((sum, { totals }) => sum + totals[of], 0);
  return {
    dayNumber,
    date: dayToDate(dayNumber),
    dayState: "open",
    lists,
    ...sums(all("subscriptions"), all("payments")),
  };
}

function entryOf(frequency: Frequency, index: number, subscribers: number): DueSubscription {
  return {
    id: `0x${frequency}${index.toString(16).padStart(63, "0")}`,
    provider: "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    token: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
    tokenSymbol: "USDC",
    amount: "12.5",
    amountRaw: "12500000",
    tokenDecimals: 6,
    frequency,
    frequencyLabel: frequencyLabel(frequency),
    dueDay: 3,
    cancelled: false,
    subscribers,
    state: "open",
    payments: subscribers,
    chargeable: subscribers > 0,
  };
}
