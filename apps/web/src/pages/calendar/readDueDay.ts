import { type Dueday, DuedayError, type Operations } from "@dueday/sdk";
import type { PaymentFilter } from "../../filter/paymentFilter";

type DueDay = Operations["getSubscriptionsDue"]["output"];
type Due = DueDay["results"][number]["subscriptions"][number];

/** An answer has four lists, one for each frequency. This is the most entries of each list. */
const PAGE = 200;

/** The most entries of each list that the service answers: it skips at most 5,000. */
export const MOST_OF_A_LIST = 5_200;

/** A limit per minute needs no longer wait. The service names a longer one where the limit of a day is used up. */
const LONGEST_WAIT_SECONDS = 60;

/**
 * Every subscription that is due on a day, from pages of one state of the day. If it has changed between two pages, they are read once again.
 * The service keeps ten states of a day, and a page may have to wait for up to 60 s, so while a day of about 4,000 plans or more is being
 * settled, both readings can fail.
 *
 * @param wait waits some milliseconds, where the pages are more requests than a minute allows
 * @throws DuedayError as the service, for a list of more than MOST_OF_A_LIST entries too
 * @throws Error where the day has changed during both readings
 */
export async function readDueDay(
  dueday: Pick<Dueday, "getSubscriptionsDue">,
  input: PaymentFilter & { date: string },
  wait = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds)),
): Promise<Due[]> {
  const read: ReadPage = async (page) => {
    try {
      return await dueday.getSubscriptionsDue({ ...input, first: PAGE, ...page });
    } catch (error) {
      if (!DuedayError.is(error, "RATE_LIMITED")) throw error;
      if (error.retryAfter === null || error.retryAfter > LONGEST_WAIT_SECONDS) throw error;
      await wait(error.retryAfter * 1000);
      return read(page);
    }
  };
  const all = (await readPages(read)) ?? (await readPages(read));
  if (all === null)
    throw new Error(
      `the lists of ${input.date} changed while they were read, twice, because payments are being settled or plans are being changed: read them again in some minutes, or choose accounts, providers or plans, so that the lists are shorter`,
    );
  return all;
}

type ReadPage = (page: { skip?: number; atBlock?: string }) => Promise<DueDay>;

/** Null where the pages are not of one state. */
async function readPages(read: ReadPage): Promise<Due[] | null> {
  const first = await read({});
  const pages = [first];
  // The service keeps the states of its snapshots. It knows a live answer (of a past day, or with a filter) only at the newest block, so its
  // pages must have equal sums and no entry twice.
  const state = first.asOf.source === "snapshot" ? { atBlock: first.asOf.blockNumber } : {};
  const longest = Math.max(...first.results.map(({ count }) => count));
  for (let skip = PAGE; skip < longest; skip += PAGE) {
    const page = await read({ skip, ...state }).catch(nullIfForgotten);
    if (page === null || sumsOf(page) !== sumsOf(first)) return null;
    pages.push(page);
  }
  const all = pages.flatMap(({ results }) => results.flatMap(({ subscriptions }) => subscriptions));
  const counted = first.results.reduce((sum, { count }) => sum + count, 0);
  return new Set(all.map(({ id }) => id)).size === counted ? all : null;
}

/** The service does not know the state of `atBlock` any more. */
function nullIfForgotten(error: unknown): null {
  if (DuedayError.is(error) && error.issues.some(({ code }) => code === "UNKNOWN_BLOCK")) return null;
  throw error;
}

/** What is equal in all pages of one state: the day's sums, and the lengths of its lists. */
function sumsOf({ asOf: _, results, ...day }: DueDay): string {
  return JSON.stringify([day, results.map(({ count }) => count)]);
}
