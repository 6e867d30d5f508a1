import { type TSchema, Type } from "@sinclair/typebox";
import { Count, described } from "./schema";

/** The most entries of a page. */
export const PAGE_LIMIT = 200;

/** The most entries of a list that a view of the contract returns: a longer answer is refused. Other lists in answers are made from these. */
export const LIST_LIMIT = 100_000;

/** A page of a list. */
export function pagedListOf<T extends TSchema>(entry: T) {
  return Type.Array(entry, { maxItems: PAGE_LIMIT });
}

/** A whole list. */
export function listOf<T extends TSchema>(entry: T) {
  return Type.Array(entry, { maxItems: LIST_LIMIT });
}

/** Highest `skip` that a request can have. */
export const SKIP_LIMIT = 5_000;

/** Most entries of one due list that an answer can reach: `skip` 5,000 and `first` 200. */
export const DUE_LIST_LIMIT = 5_200;

/** Fields of an answer about the list that its page is a part of. */
export const pageFields = {
  count: described(Count, "Entries of the whole list"),
  hasMore: Type.Boolean({ description: "Whether a next page can be requested" }),
  nextSkip: Type.Optional(Type.Integer({ minimum: 1, maximum: SKIP_LIMIT, description: "skip of the next page" })),
};

export type PageFactsParameters<C> = {
  count: C;
  skip: number;
  /** Entries on the page. */
  shown: number;
  /** Whether the list continues after the page. Default: whether `count` is above `skip` + `shown`. */
  more?: boolean;
};

/** The values of `pageFields` for a page; beyond SKIP_LIMIT `hasMore` is false, and `nextSkip` is absent. */
export function pageFacts<C extends number | null>({
  count,
  skip,
  shown,
  more = count !== null && skip + shown < count,
}: PageFactsParameters<C>) {
  const nextSkip = skip + shown;
  const hasMore = more && shown > 0 && nextSkip <= SKIP_LIMIT;
  return { count, hasMore, ...(hasMore ? { nextSkip } : {}) };
}
