import { Type } from "@sinclair/typebox";
import { inQuery } from "./defineOperation";

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
  nextSkip: Type.Optional(Type.Integer({ minimum: 1, maximum: SKIP_LIMIT })),
};

type PageFacts<C> = {
  count: C;
  skip: number;
  /** Entries on the page. */
  shown: number;
  /** Whether the list goes on behind the page. Default: where its count says so. */
  more?: boolean;
};

/** The fields of `pageFields` for a page. */
export function pageFacts<C extends number | null>({
  count,
  skip,
  shown,
  more = count !== null && skip + shown < count,
}: PageFacts<C>) {
  const nextSkip = skip + shown;
  const hasMore = more && shown > 0 && nextSkip <= SKIP_LIMIT;
  return { count, hasMore, ...(hasMore ? { nextSkip } : {}) };
}
