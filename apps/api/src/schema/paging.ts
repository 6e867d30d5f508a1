import { Count } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { inQuery } from "../operation";

export const FIRST_DEFAULT = 50;
const SKIP_LIMIT = 5_000;

/** Entries of a page. */
export const first = inQuery(
  Type.Integer({ minimum: 1, maximum: 200, default: FIRST_DEFAULT, description: "Entries of a page" }),
);

/** Entries before the page. */
export const skip = inQuery(
  Type.Integer({ minimum: 0, maximum: SKIP_LIMIT, default: 0, description: "Entries before the page" }),
);

/** What an answer says of the list that its page is cut from. */
export const pageFields = {
  count: Type.Integer({ minimum: 0, description: "Entries of the whole list" }),
  hasMore: Type.Boolean({ description: "Whether there is a next page that can be asked for" }),
  nextSkip: Type.Optional(Count),
};

/** The fields of `pageFields` for a page of `shown` entries. */
export function pageFacts({ count, skip, shown }: { count: number; skip: number; shown: number }) {
  const nextSkip = skip + shown;
  const hasMore = shown > 0 && nextSkip < count && nextSkip <= SKIP_LIMIT;
  return { count, hasMore, ...(hasMore ? { nextSkip } : {}) };
}
