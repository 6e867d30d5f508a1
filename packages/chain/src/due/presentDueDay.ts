import { pageFacts } from "@dueday/core/paging";
import type { DueDay, DueList } from "@dueday/core/snapshots/dueDay";

export type DueQuery = {
  /** One of the four lists; all where it is undefined. */
  frequency: number | undefined;
  /** Entries of a page, and entries before it, in each list. */
  first: number;
  skip: number;
};

/** A page of a due day; counts and sums are those of all entries, of one frequency where the query names it. */
export function presentDueDay({ lists, ...day }: DueDay, query: DueQuery) {
  const wanted = lists.filter((list) => query.frequency === undefined || list.frequency === query.frequency);
  const [only] = query.frequency === undefined ? [] : wanted;
  const { totals, settled, missed } = only ?? day;
  return { ...day, totals, settled, missed, results: wanted.map((list) => presentList(list, query)) };
}

function presentList(
  { subscriptions, totals: _, settled: __, missed: ___, ...list }: DueList,
  { first, skip }: DueQuery,
) {
  const page = subscriptions.slice(skip, skip + first);
  // A snapshot holds a limited part of each list, and pages end where it ends.
  const { count: _held, ...paging } = pageFacts({ count: subscriptions.length, skip, shown: page.length });
  return {
    ...list,
    ...paging,
    subscriptionIds: page.map((subscription) => subscription.id),
    subscriptions: page,
  };
}
