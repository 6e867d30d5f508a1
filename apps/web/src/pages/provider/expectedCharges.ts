import type { Operations } from "@dueday/sdk";
import { decimalToUnits, unitsToDecimal } from "../../format/formatAmount";

type Created = Operations["getAccount"]["output"]["created"][number];

export type Expected = { token: string; symbol: string; amount: string; charges: number };

const DAY_MS = 86_400_000;
/** Days, or months, from one charge to the next, by frequency. */
const WEEK_DAYS = 7;
const MONTHS = [0, 1, 3, 12] as const;

/**
 * What the subscribers of these plans are charged up to `today` (YYYY-MM-DD) and on the `days` days after it, by token, if each subscriber
 * stays and pays. These are the days of the forecast's `next30Days`.
 */
export function expectedCharges(created: readonly Created[], today: string, days: number): Expected[] {
  const last = Date.parse(today) + days * DAY_MS;
  const byToken = new Map<string, { symbol: string; decimals: number; units: bigint; charges: number }>();
  for (const { subscription, totalSubscribers, nextDueDate } of created) {
    const { token, tokenSymbol: symbol, tokenDecimals: decimals, amount, frequency, cancelled } = subscription;
    const units = decimalToUnits(amount, decimals);
    if (cancelled || nextDueDate === null || units === null) continue;
    const charges = dueDates(nextDueDate, frequency, last) * totalSubscribers;
    if (charges === 0) continue;
    const sum = byToken.get(token) ?? { symbol, decimals, units: 0n, charges: 0 };
    byToken.set(token, { ...sum, units: sum.units + units * BigInt(charges), charges: sum.charges + charges });
  }
  return [...byToken].map(([token, { symbol, decimals, units, charges }]) => ({
    token,
    symbol,
    amount: unitsToDecimal(units, decimals),
    charges,
  }));
}

/** How many due dates there are from the next one up to an instant. */
function dueDates(next: string, frequency: number, last: number): number {
  const date = new Date(`${next}T00:00:00Z`);
  const months = MONTHS[frequency] ?? 0;
  let count = 0;
  while (date.getTime() <= last) {
    count += 1;
    // A due day of a month is 28 at most, so that every month has it.
    if (months > 0) date.setUTCMonth(date.getUTCMonth() + months);
    else date.setUTCDate(date.getUTCDate() + WEEK_DAYS);
  }
  return count;
}
