import { ServiceError, validationError } from "@dueday/core/errors";
import type { Finality } from "@dueday/core/finality";
import type { AsOf } from "@dueday/core/schema";
import type { Database } from "@dueday/db/connectDatabase";
import { DatabaseError } from "@dueday/db/databaseError";
import type { IndexScope } from "@dueday/db/eventIndex/coveredHead";
import type { IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import type { IndexAnswer, IndexState, NoState } from "@dueday/db/eventIndex/readIndex";
import { foreignDatabase } from "../snapshots/verifyDatabase";
import { isIndexStale } from "./isIndexStale";

export type IndexReaderOptions = {
  database: Database;
  scope: IndexScope;
  staleAfterMs: number;
  /** Reads a block of the chain: the hash of the block that an answer is true for is not always stored. */
  readBlock: (number: number) => Promise<IndexedBlock>;
  /** Unix milliseconds. */
  clock: () => number;
  /** Why nothing from the database is served; null while answers from it are served. */
  refusal: () => string | null;
};

/** What a query of the index found, the block it is true for, and what is safe and final by now. */
export type Indexed<T> = { value: T; asOf: AsOf; block: IndexedBlock; finality: Finality | null };

/**
 * Runs a query on the event index of one chain.
 *
 * @throws ServiceError UPSTREAM_UNAVAILABLE while the database does not answer, NOT_INDEXED before the first block or while the database holds
 * another chain's events, VALIDATION_ERROR for an `atBlock` that is not known, UPSTREAM_* where the block's hash can't be read
 */
export type IndexReader = <T>(query: IndexQuery<T>) => Promise<Indexed<T>>;

export type IndexQuery<T> = (database: Database, scope: IndexScope) => Promise<IndexAnswer<T> | NoState>;

export function createIndexReader(options: IndexReaderOptions): IndexReader {
  const { database, scope, refusal } = options;
  return async (read) => {
    if (refusal() !== null) throw foreignDatabase();
    const found = await read(database, scope).catch((error: unknown) => {
      if (!(error instanceof DatabaseError)) throw error;
      throw new ServiceError(
        "UPSTREAM_UNAVAILABLE",
        "The database of the event index does not answer; try again in a few seconds",
        { cause: error, details: { action: error.action, failure: error.code } },
      );
    });
    if (typeof found === "string") throw noState(found);
    const { block, finality } = found.state;
    const known = block.hash === null ? await options.readBlock(block.number) : block;
    return { value: found.value, asOf: asOf(known, found.state, options), block: known, finality };
  };
}

function asOf(
  block: IndexedBlock,
  { confirmedAt, behindSeconds, unprovenFrom }: IndexState,
  { clock, staleAfterMs }: IndexReaderOptions,
): AsOf {
  return {
    blockNumber: String(block.number),
    blockHash: block.hash,
    blockTimestamp: block.timestamp,
    ...(block.timestampMs !== undefined && { timestampMs: block.timestampMs }),
    computedAt: confirmedAt.toISOString(),
    source: "snapshot",
    stale: isIndexStale({ behindSeconds, confirmedAt }, { now: clock(), staleAfterMs }),
    ...(unprovenFrom === null ? {} : { unprovenFrom: String(unprovenFrom) }),
  };
}

function noState(reason: NoState): ServiceError {
  if (reason === "unknown_block") {
    return validationError(
      "atBlock",
      "UNKNOWN_BLOCK",
      "must be asOf.blockNumber of an answer of the last two hours whose block was not replaced since; leave it out to start again at the newest block",
    );
  }
  return notIndexed();
}

export function notIndexed(): ServiceError {
  return new ServiceError("NOT_INDEXED", "The events of this chain are not indexed yet; try again in a few seconds", {
    headers: { "Retry-After": "5" },
  });
}
