import type { DueDay, DueList } from "@dueday/core/snapshots/dueDay";
import { pageFacts } from "../../operation/paging";

export type DueQuery = { frequency: number | undefined; first: number; skip: number };

/** A page of a due day: `first` and `skip` count in each list on its own. */
export function presentDueDay({ dayNumber, date, lists, totals }: DueDay, query: DueQuery) {
  const wanted = lists.filter((list) => query.frequency === undefined || list.frequency === query.frequency);
  return { dayNumber, date, results: wanted.map((list) => presentList(list, query)), totals };
}

function presentList({ subscriptions, ...list }: DueList, { first, skip }: DueQuery) {
  const page = subscriptions.slice(skip, skip + first);
  // Beyond what a snapshot holds of a list there is no next page, however long the list is.
  const { count: _held, ...paging } = pageFacts({ count: subscriptions.length, skip, shown: page.length });
  return {
    ...list,
    ...paging,
    subscriptionIds: page.map((subscription) => subscription.id),
    subscriptions: page,
  };
}
