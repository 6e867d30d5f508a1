import { ServiceError } from "@dueday/core/errors";
import { type SubLogName, subLogCode, subLogNames } from "@dueday/core/events/subLogEvents";
import { pageFacts, pageFields } from "@dueday/core/paging";
import { AsOf, ChainId, Count, described, IntegerString, Nullable, Sentence } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { EventFilters, Page } from "@dueday/db/history/readEvents";
import { type TProperties, Type } from "@sinclair/typebox";
import type { Entries, HistorySource, Sourced } from "../history/historySource";
import type { Context } from "./context";
import { Cursor, readCursor, toCursor } from "./cursor";
import { dateInQuery, readTimeRange } from "./dates";
import { inQuery } from "./defineOperation";
import { MinBlockNotReached, untilMinBlock } from "./minBlock";
import { first, requireOneStart, skip } from "./paging";

const sourced = {
  asOf: Nullable(AsOf),
  error: Type.Optional(
    described(Sentence, "Present where the history source failed: the lists are empty for that reason"),
  ),
};

/** The output of an operation that the history source answers. */
export function historyAnswer<T extends TProperties>(properties: T) {
  return Type.Object({ chainId: ChainId, ...properties, ...sourced });
}

/** Fields of every page of a list of history. */
export const historyPage = {
  ...pageFields,
  nextAfter: Type.Optional(described(Cursor, "after of the next page; present while there is one, at any depth")),
  count: Nullable(described(Count, "Entries of the whole list; null where the source does not count them")),
};

/** The paging fields of an answer whose source failed. */
export const emptyPage = { count: 0, hasMore: false };

export const atBlock = inQuery(
  Type.Optional({
    ...IntegerString,
    maxLength: 15,
    expects: 'a block number of at most 15 digits as a string, such as "32427185"',
    description: "asOf.blockNumber of the first page, so that all pages show the same state",
  }),
);

/** The cursor of a page. */
export const after = inQuery(
  Type.Optional(described(Cursor, "nextAfter of the page before. Goes on from there, however long the list is")),
);

/** Input of the lists of history. */
export const pageInput = { first, skip, atBlock, after };

/** Filter of the lists of history. */
export const dayFilterInput = {
  fromDate: dateInQuery("Only entries of this day (UTC) and later"),
  toDate: dateInQuery("Only entries of this day (UTC) and earlier"),
};

/** Filters of the lists of events. */
export const eventFilterInput = {
  eventName: inQuery(
    Type.Optional(
      Type.Union(
        subLogNames.map((name) => Type.Literal(name)),
        { description: "Only events of this name", expects: `one of ${subLogNames.join(", ")}` },
      ),
    ),
  ),
  ...dayFilterInput,
};

type EventFilterInput = { eventName?: SubLogName; subscription?: string; fromDate?: string; toDate?: string };

/**
 * The filters that an input requests.
 *
 * @throws ServiceError VALIDATION_ERROR for a day that does not exist, or a range that is empty
 */
export function toFilters({ eventName, subscription, ...range }: EventFilterInput): EventFilters {
  return {
    ...(eventName === undefined ? {} : { code: subLogCode[eventName] }),
    ...(subscription === undefined ? {} : { subscription: toLowerCase(subscription) }),
    ...readTimeRange(range),
  };
}

type PageInput = { first: number; skip: number; atBlock?: string; after?: string };

/**
 * The page that an input requests.
 *
 * @throws ServiceError VALIDATION_ERROR for a malformed `after`, or one beside `skip`
 */
export function toPage({ first, skip, atBlock, after }: PageInput): Page {
  requireOneStart({ skip, after });
  return {
    first,
    skip,
    atBlock: atBlock === undefined ? null : Number(atBlock),
    ...(after === undefined ? {} : { after: readCursor(after) }),
  };
}

/** The paging fields of a page. A source that does not count its entries has no cursors either. */
export function pageOf<T extends { blockNumber: number; logIndex?: number | null }>(
  { entries, total, hasMore }: Entries<T>,
  { skip, after }: PageInput,
) {
  const facts = pageFacts({ count: total, skip, shown: entries.length, more: hasMore });
  const last = entries.at(-1);
  if (!hasMore || total === null || typeof last?.logIndex !== "number") return facts;
  const nextAfter = toCursor({ blockNumber: last.blockNumber, logIndex: last.logIndex });
  // A page that begins at a cursor does not know its distance from the beginning, which skip counts.
  const { nextSkip: _, ...others } = facts;
  return { ...(after === undefined ? facts : others), hasMore: true, nextAfter };
}

/**
 * Answers from the chain's history source. Where the source fails, or has nothing indexed yet, the answer is `empty` with `error`, and its
 * status is still that of a success. `asOf` is then the block of this process's last answer from the source, marked as stale.
 *
 * @param empty null for an operation that has no such answer
 * @throws ServiceError where the request is wrong, the index does not reach the request's `minBlock`, or the source fails and there is
 * no `empty`.
 */
export async function answerHistory<T, A extends object>(
  context: Context,
  ask: (source: HistorySource) => Promise<Sourced<T>>,
  present: (value: T, asOf: AsOf | null) => A,
  empty: A | null,
) {
  const { chain, logger, requestId } = context;
  const { chainId } = chain.config;
  try {
    const { asOf, value } = await untilMinBlock(
      context,
      () => ask(chain.history),
      (answer, minBlock) => answer.asOf !== null && BigInt(answer.asOf.blockNumber) >= minBlock,
    );
    chain.lastHistory = asOf ?? chain.lastHistory;
    return { chainId, ...present(value, asOf), asOf };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status < 502 || error instanceof MinBlockNotReached) throw error;
    const isNew = error.code === "NOT_INDEXED";
    if (!isNew) logger.warn({ requestId, chainId, err: error }, "the history source failed");
    if (empty === null) throw isNew ? error : sourceUnavailable(error);
    const asOf = chain.lastHistory && { ...chain.lastHistory, stale: true };
    return { chainId, ...empty, asOf, error: isNew ? error.message : "The history source failed; try again later" };
  }
}

/** Whatever the source's own error is, the client gets the error for a source that does not answer. */
function sourceUnavailable(cause: ServiceError): ServiceError {
  return new ServiceError("UPSTREAM_UNAVAILABLE", "The index of events does not answer; try again in a few seconds", {
    headers: { "Retry-After": "5" },
    details: { ...cause.details, source: cause.code },
    cause,
  });
}
