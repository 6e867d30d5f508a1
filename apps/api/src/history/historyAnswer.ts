import { ServiceError } from "@dueday/core/errors";
import { pageFacts, pageFields } from "@dueday/core/paging";
import { AsOf, IntegerString, Nullable } from "@dueday/core/schema";
import type { Page } from "@dueday/db/queries/readEvents";
import { type TProperties, Type } from "@sinclair/typebox";
import type { Context } from "../operation/context";
import { inQuery } from "../operation/defineOperation";
import { first, skip } from "../operation/paging";
import type { Entries, HistorySource, Sourced } from "./historySource";

const sourced = {
  asOf: Nullable(AsOf),
  error: Type.Optional(
    Type.String({ description: "Present where the history source failed: the lists are empty for that reason" }),
  ),
};

/** The output of an operation that the history source answers. */
export function historyAnswer<T extends TProperties>(properties: T) {
  return Type.Object({ chainId: Type.Integer({ minimum: 1 }), ...properties, ...sourced });
}

/** Fields of every page of a list of history. */
export const historyPage = {
  ...pageFields,
  count: Nullable(
    Type.Integer({ minimum: 0, description: "Entries of the whole list; null where the source does not count them" }),
  ),
};

/** The paging fields of an answer whose source failed. */
export const emptyPage = { count: 0, hasMore: false };

export const atBlock = inQuery(
  Type.Optional({
    ...IntegerString,
    maxLength: 15,
    description: "asOf.blockNumber of the first page, so that all pages show the same state",
  }),
);

/** Input of the lists of history. */
export const pageInput = { first, skip, atBlock };

/** What the operations answered by the history source have in common. */
export const historyOperation = {
  chainScoped: true,
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
} as const;

/** The page that an input requests. */
export function toPage({ first, skip, atBlock }: { first: number; skip: number; atBlock?: string }): Page {
  return { first, skip, atBlock: atBlock === undefined ? null : Number(atBlock) };
}

/** The paging fields of a page. */
export function pageOf({ entries, total, hasMore }: Entries<unknown>, skip: number) {
  return pageFacts({ count: total, skip, shown: entries.length, more: hasMore });
}

/**
 * Answers from the chain's history source. Where the source fails, the answer is `empty` with `error`, and still a success.
 *
 * @throws ServiceError where the request is wrong, or nothing is indexed yet.
 */
export async function answerHistory<T, A extends object>(
  { chain, logger, requestId }: Context,
  ask: (source: HistorySource) => Promise<Sourced<T>>,
  present: (value: T, asOf: AsOf | null) => A,
  empty: A,
) {
  const { chainId } = chain.config;
  try {
    const { asOf, value } = await ask(chain.history);
    return { chainId, ...present(value, asOf), asOf };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.status < 502 || error.code === "NOT_INDEXED") throw error;
    logger.warn({ requestId, chainId, err: error }, "the history source failed");
    return { chainId, ...empty, asOf: null, error: "The history source failed; try again later" };
  }
}
