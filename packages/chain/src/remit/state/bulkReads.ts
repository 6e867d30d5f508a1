import { ChangedMap } from "@dueday/core/remit/changedMap";
import { SubscriptionTable } from "@dueday/core/remit/subscriptionTable";
import { runInSlices } from "@dueday/core/runInSlices";
import { readLongList } from "./readLongList";
import { readPlainSubscriptions } from "./readPlainSubscriptions";
import { readTokenBook } from "./readTokenBook";
import type { SubscriptionStore, WithChanges } from "./subscriptionStore";
import { MOST_CHANGED } from "./withHoldings";

/**
 * Functions that read a large book in few calls, by programs that the requests carry, and keep it compactly in memory. A browser, which loads
 * no such book, leaves them out.
 */
export type BulkReads = {
  /** @param read number of subscriptions that will be read into the store; absent where it gets a part of another store */
  newStore(read?: number): SubscriptionStore;
  readTokenBook: typeof readTokenBook;
  withChanges: WithChanges;
  readLongList: typeof readLongList;
  readPlainSubscriptions: typeof readPlainSubscriptions;
};

export const bulkReads: BulkReads = {
  readLongList,
  readPlainSubscriptions,
  readTokenBook,
  async withChanges(before, changes) {
    const changed = new ChangedMap(before, changes);
    if (changed.changes.size <= MOST_CHANGED * changed.size) return changed;
    const table = new SubscriptionTable();
    await runInSlices(changed.values(), (subscription) => table.set(subscription));
    return table;
  },
  newStore() {
    const table = new SubscriptionTable();
    return { map: table, add: (subscription) => table.set(subscription) };
  },
};
