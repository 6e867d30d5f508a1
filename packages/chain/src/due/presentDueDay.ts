import { pageFacts } from "@dueday/core/paging";
import type { DueDay, DueList, DueSubscription } from "@dueday/core/snapshots/dueDay";

export type DueQuery = {
  /** One of the four lists; all where it is undefined. */
  frequency: number | undefined;
  /** Entries of a page, and entries before it, in each list. */
  first: number;
  skip: number;
};

/** A due day with only the entries of a page. */
export type DueDayPage = Omit<DueDay, "lists"> & { lists: readonly DueListPage[] };

export type DueListPage = Omit<DueList, "subscriptions"> & {
  /** Entries that pages are cut from: a limited part of the list. */
  held: number;
  page: readonly DueSubscription[];
};

/** A page of a due day; counts and sums are those of all entries, of one frequency where the query names it. */
export function presentDueDay({ lists, ...day }: DueDay, query: DueQuery) {
  const { first, skip } = query;
  return presentDuePage(
    {
      ...day,
      lists: lists.map(({ subscriptions, ...list }) => ({
        ...list,
        held: subscriptions.length,
        page: subscriptions.slice(skip, skip + first),
      })),
    },
    query,
  );
}

/** As `presentDueDay`, for a day whose lists hold only the entries of the page. */
export function presentDuePage({ lists, ...day }: DueDayPage, query: DueQuery) {
  const wanted = lists.filter((list) => query.frequency === undefined || list.frequency === query.frequency);
  const [only] = query.frequency === undefined ? [] : wanted;
  const { totals, settled, missed } = only ?? day;
  return { ...day, totals, settled, missed, results: wanted.map((list) => presentList(list, query)) };
}

function presentList({ held, page, totals: _, settled: __, missed: ___, ...list }: DueListPage, { skip }: DueQuery) {
  // Pages end where the held part of the list ends.
  const { count: _held, ...paging } = pageFacts({ count: held, skip, shown: page.length });
  return {
    ...list,
    ...paging,
    subscriptionIds: page.map((subscription) => subscription.id),
    subscriptions: [...page],
  };
}
