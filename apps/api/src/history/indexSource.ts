import { ServiceError, validationError } from "@dueday/core/errors";
import type { AsOf } from "@dueday/core/schema";
import type { Database } from "@dueday/db/connectDatabase";
import { DatabaseError } from "@dueday/db/databaseError";
import type { IndexAnswer, IndexState, NoState } from "@dueday/db/index/readIndex";
import { readDetails } from "@dueday/db/queries/readDetails";
import { type Page, readAccountEvents, readSubscriptionEvents } from "@dueday/db/queries/readEvents";
import { readProviderProfile } from "@dueday/db/queries/readProviderProfile";
import { searchSubscriptions } from "@dueday/db/queries/searchSubscriptions";
import type { ContractScope } from "@dueday/db/schema/columns";
import { foreignDatabase } from "../chains/verifyDatabase";
import type { Entries, HistorySource, Sourced } from "./historySource";
import { isIndexStale } from "./isIndexStale";

export type IndexSourceOptions = {
  database: Database;
  scope: ContractScope;
  /** An index that is more blocks behind the head is stale. */
  finalityBlocks: number;
  staleAfterMs: number;
  /** Unix milliseconds. */
  clock: () => number;
  /** Why nothing of the database is served; null while it is. */
  refusal: () => string | null;
};

/** Events from the index in the database, as of one block. */
export function indexSource(options: IndexSourceOptions): HistorySource {
  const { database, scope } = options;

  async function ask<T>(read: () => Promise<IndexAnswer<T> | NoState>): Promise<Sourced<T>> {
    if (options.refusal() !== null) throw foreignDatabase();
    const found = await read().catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
      throw new ServiceError(
        "UPSTREAM_UNAVAILABLE",
        "The database of the event index does not answer; try again in a few seconds",
        {
          cause: error,
          details: { action: error.action, code: error.code },
        },
      );
    });
    if (typeof found === "string") throw noState(found);
    return { asOf: asOf(found.state, options), value: found.value };
  }

  return {
    async search(filters, page) {
      const { asOf, value } = await ask(() => searchSubscriptions(database, scope, filters, page));
      return { asOf, value: entriesOf(value.subscriptions, value.total, page) };
    },
    async readDetails(id, page) {
      const { asOf, value } = await ask(() => readDetails(database, scope, id, page));
      return { asOf, value: value === null ? unknown(asOf) : entriesOf(value.entries, value.total, page) };
    },
    async readEvents(id, page) {
      const { asOf, value } = await ask(() => readSubscriptionEvents(database, scope, id, page));
      return { asOf, value: value === null ? unknown(asOf) : entriesOf(value.events, value.total, page) };
    },
    async readActivity(account, page) {
      const { asOf, value } = await ask(() => readAccountEvents(database, scope, account, page));
      const { events, counts } = value;
      const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
      const total = sum(counts.asProvider) + sum(counts.asSubscriber) - sum(counts.both);
      return { asOf, value: { ...entriesOf(events, total, page), counts } };
    },
    readProfile: (provider) => ask(() => readProviderProfile(database, scope, provider)),
  };
}

function entriesOf<T>(entries: T[], total: number, { skip }: Page): Entries<T> {
  return { entries, total, hasMore: skip + entries.length < total };
}

function asOf({ block, confirmedAt, behindBlocks }: IndexState, options: IndexSourceOptions): AsOf {
  const { clock, staleAfterMs, finalityBlocks } = options;
  return {
    blockNumber: String(block.number),
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
    computedAt: confirmedAt.toISOString(),
    source: "snapshot",
    stale: isIndexStale({ behindBlocks, confirmedAt }, { now: clock(), staleAfterMs, finalityBlocks }),
  };
}

/**
 * Null for a record that the index does not have.
 *
 * @throws ServiceError NOT_INDEXED while the index is behind the chain: the record may be newer.
 */
function unknown(asOf: AsOf | null): null {
  if (asOf?.stale === true) throw notIndexed();
  return null;
}

function noState(reason: NoState): ServiceError {
  if (reason === "unknown_block") {
    return validationError(
      "atBlock",
      "UNKNOWN_BLOCK",
      "must be asOf.blockNumber of a recent answer; leave it out to start again at the newest block",
    );
  }
  return notIndexed();
}

function notIndexed(): ServiceError {
  return new ServiceError("NOT_INDEXED", "The events of this chain are not indexed yet; try again in a few seconds", {
    headers: { "Retry-After": "5" },
  });
}
