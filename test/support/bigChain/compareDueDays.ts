import { dayToDate } from "@dueday/core/calendar/dates";
import type { CalendarDay } from "@dueday/core/schemas/dueCalendar";
import type { DirectDay } from "./directDays";

const PAGE = 200;
/** Entries that pages reach: 200 after skipping 5,000. */
const REACHED = 5_200;

/**
 * Answers of an API at `url` that differ from `days`, the direct computation of today and the days after it: the sums of each day, and the
 * pages of each list.
 */
export async function compareDueDays(url: string, today: number, days: readonly DirectDay[]): Promise<string[]> {
  const faults: string[] = [];
  for (const [ahead, expected] of days.entries()) {
    const day = today + ahead;
    const { results, totals, missed, asOf } = await get(url, `/subscriptions/due?dayNumber=${day}&first=1`);
    if (asOf?.source !== "snapshot") faults.push(`day ${day} is not answered from a snapshot`);
    const found: DirectDay = {
      counts: results.map(({ count }: { count: number }) => count),
      subscriptions: totals.subscriptions,
      failures: totals.expectedFailures,
      amount: amountOf(totals),
      missed: missed.payments,
    };
    if (!Bun.deepEquals(found, expected))
      faults.push(`day ${day} is ${JSON.stringify(found)}, not ${JSON.stringify(expected)}`);
    for (const [frequency, count] of expected.counts.entries()) {
      const ids = await readPages(url, { day, frequency, count });
      if (ids.length !== Math.min(count, REACHED) || new Set(ids).size !== ids.length)
        faults.push(`the pages of frequency ${frequency} on day ${day} have ${ids.length} entries, not ${count}`);
    }
  }
  return faults;
}

/** Days of this month's calendar, from today on, that differ from `days`. */
export async function compareCalendar(url: string, today: number, days: readonly DirectDay[]): Promise<string[]> {
  const month = dayToDate(today)?.slice(0, "2026-03".length);
  const answer: { days: CalendarDay[] } = await get(url, `/subscriptions/due/calendar?month=${month}`);
  const coming = answer.days.filter(({ dayNumber }) => dayNumber >= today);
  return coming.flatMap((shown, ahead) => {
    const { open, upcoming, subscriptions, expectedFailures: failures, missed } = shown;
    const amount = amountOf(open) + amountOf(upcoming);
    const { counts: _, ...expected } = days[ahead] ?? { counts: null };
    const found = { subscriptions, failures, amount, missed: missed.payments };
    if (Bun.deepEquals(found, expected)) return [];
    return [`the calendar has ${JSON.stringify(found)} on day ${today + ahead}, not ${JSON.stringify(expected)}`];
  });
}

function amountOf({ byToken }: { byToken: readonly { amountRaw: string }[] }): number {
  return Number(byToken[0]?.amountRaw ?? 0);
}

/** The ids that the pages of one list have, up to what pages reach. */
async function readPages(url: string, { day, frequency, count }: { day: number; frequency: number; count: number }) {
  const ids: string[] = [];
  for (let skip = 0; skip < Math.min(count, REACHED); skip += PAGE) {
    const query = `dayNumber=${day}&frequency=${frequency}&first=${PAGE}&skip=${skip}`;
    const { results } = await get(url, `/subscriptions/due?${query}`);
    ids.push(...(results[0]?.subscriptions ?? []).map(({ id }: { id: string }) => id));
  }
  return ids;
}

async function get(url: string, path: string) {
  return Object(await (await fetch(url + path)).json());
}
