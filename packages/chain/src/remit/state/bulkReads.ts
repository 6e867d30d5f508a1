import { ChangedMap } from "@dueday/core/remit/changedMap";
import { HoldingTable } from "@dueday/core/remit/holdingTable";
import type { Holding } from "@dueday/core/remit/state";
import { SubscriptionTable } from "@dueday/core/remit/subscriptionTable";
import type { Address } from "viem";
import { readLongList } from "./readLongList";
import { readPlainSubscriptions } from "./readPlainSubscriptions";
import type { SubscriptionStore, WithChanges } from "./subscriptionStore";
import { withTokens } from "./withTokens";

/** What accounts hold of a token. */
export type Holdings = ReadonlyMap<Address, Holding> & { set(account: Address, holding: Holding): unknown };

/**
 * Reads of a large book in few calls, by programs that the requests carry, and its form in memory. A browser, which loads no such book, leaves
 * them out.
 */
export type BulkReads = {
  /** @param read number of subscriptions that are read into it; absent where it is a part of another one */
  newStore(read?: number): SubscriptionStore;
  newHoldings(): Holdings;
  withTokens: typeof withTokens;
  withChanges: WithChanges;
  readLongList: typeof readLongList;
  readPlainSubscriptions: typeof readPlainSubscriptions;
};

/** Changes that are kept beside a table, as a share of it: then it is made again. */
const MOST_CHANGED = 0.25;

export const bulkReads: BulkReads = {
  readLongList,
  readPlainSubscriptions,
  newHoldings: () => new HoldingTable(),
  withTokens,
  withChanges(before, changes) {
    const changed = new ChangedMap(before, changes);
    if (changed.changes.size <= MOST_CHANGED * changed.size) return changed;
    const table = new SubscriptionTable();
    for (const subscription of changed.values()) table.set(subscription);
    return table;
  },
  newStore() {
    const table = new SubscriptionTable();
    return { map: table, add: (subscription) => table.set(subscription) };
  },
};
