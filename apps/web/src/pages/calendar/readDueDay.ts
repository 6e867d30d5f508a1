import type { Dueday, Operations } from "@dueday/sdk";
import type { PaymentFilter } from "../../filter/paymentFilter";

type Due = Operations["getSubscriptionsDue"]["output"]["results"][number]["subscriptions"][number];

/** An answer has four lists, one for each frequency. This is the most entries of each list. */
const PAGE = 200;

/**
 * Every subscription that is due on a day.
 *
 * @throws DuedayError VALIDATION_ERROR where more than 5,200 of one frequency are due: the service skips at most 5,000
 */
export async function readDueDay(dueday: Dueday, input: PaymentFilter & { date: string }): Promise<Due[]> {
  const all: Due[] = [];
  for (let skip = 0; ; skip += PAGE) {
    const { results } = await dueday.getSubscriptionsDue({ ...input, first: PAGE, skip });
    all.push(...results.flatMap(({ subscriptions }) => subscriptions));
    if (!results.some(({ count }) => count > skip + PAGE)) return all;
  }
}
