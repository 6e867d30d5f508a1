import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dueDayOf, FREQUENCIES } from "@dueday/core/calendar/frequency";
import { removeFromSet } from "@dueday/core/remit/removeFromSet";
import { dueKey } from "@dueday/core/remit/state";
import { type BookShape, entryAt, termsOf } from "./fillBook";

/** What a day shows; `amount` is in token units. */
export type DirectDay = {
  /** Ids of the due lists, weekly first. */
  counts: number[];
  subscriptions: number;
  failures: number;
  amount: number;
  missed: number;
};

const UNIT = 10 ** 12;

/**
 * What is due on each of `days`, worked out from the terms of a filled book and the protocol's rules for one subscriber a subscription, over
 * plain arrays. `cancelled` holds places.
 */
export function directDays(
  book: { size: number; shape: BookShape; today: number; maxRemits: number; cancelled: ReadonlySet<number> },
  days: number,
): DirectDay[] {
  const { size, shape, today, maxRemits, cancelled } = book;
  const lists = new Map<number, number[]>();
  const balances = new Float64Array(size);
  const hasLeft = new Uint8Array(size);
  const { amount } = entryAt(0, { frequency: 0, dueDay: 1 });
  const units = Number(amount) / UNIT;
  for (let place = 0; place < size; place++) {
    const terms = termsOf(place, shape, today);
    const key = dueKey(terms.frequency, terms.dueDay);
    const list = lists.get(key);
    if (list === undefined) lists.set(key, [place]);
    else list.push(place);
    balances[place] = Number(entryAt(place, terms).balance);
  }
  const before = new Map([...lists].map(([key, list]) => [key, list.length]));
  return Array.from({ length: days }, (_, ahead) => {
    const calendar = calendarDay(today + ahead);
    const keys = FREQUENCIES.map((frequency) => dueKey(frequency, dueDayOf(calendar, frequency)));
    const day: DirectDay = {
      counts: keys.map((key) => before.get(key) ?? 0),
      subscriptions: 0,
      failures: 0,
      amount: 0,
      missed: 0,
    };
    let checkpoint: { frequency: number; position: number; place: number } | null = null;
    do {
      checkpoint = settlePage(checkpoint);
    } while (checkpoint !== null);
    return day;

    /** One call of remit(), up to a full page; null where the day is through. */
    function settlePage(resume: typeof checkpoint): typeof checkpoint {
      let payments = 0;
      let isMet = resume === null;
      for (const [frequency, key] of keys.entries()) {
        if (resume !== null && frequency < resume.frequency) continue;
        const list = lists.get(key) ?? [];
        const start = resume === null ? list.length : Math.min(list.length, resume.position);
        // Later lists lose what lies above the checkpoint's position.
        if (resume !== null && frequency > resume.frequency) {
          for (const place of list.slice(start)) if (!cancelled.has(place) && hasLeft[place] === 0) day.missed++;
        }
        for (let position = start; position > 0; position--) {
          const place = list[position - 1] ?? 0;
          if (hasLeft[place] === 1 || cancelled.has(place)) {
            removeFromSet(list, position - 1);
            continue;
          }
          if (payments >= maxRemits) return { frequency, position, place };
          if (!isMet && resume?.place !== place) {
            day.missed++;
            continue;
          }
          isMet = true;
          payments++;
          day.subscriptions++;
          if ((balances[place] ?? 0) >= units) {
            balances[place] = (balances[place] ?? 0) - units;
            day.amount += units;
          } else {
            hasLeft[place] = 1;
            day.failures++;
          }
        }
      }
      return null;
    }
  });
}
