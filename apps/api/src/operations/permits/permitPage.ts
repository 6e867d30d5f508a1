import { Count, Nullable } from "@dueday/core/schema";
import type { StoredPermit } from "@dueday/db/permits/storePermit";
import { type TSchema, Type } from "@sinclair/typebox";
import { inQuery } from "../../operation/defineOperation";
import { withDefault } from "../../operation/paging";

const MOST_ENTRIES = 100;

/** Input of a list of kept permits: which page. */
export const permitPage = {
  first: inQuery(
    withDefault(
      Type.Integer({
        minimum: 1,
        maximum: MOST_ENTRIES,
        expects: `a whole number, 1 to ${MOST_ENTRIES}`,
        description: `Most entries, 1 to ${MOST_ENTRIES}`,
      }),
      MOST_ENTRIES,
    ),
  ),
  after: inQuery(
    Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: Number.MAX_SAFE_INTEGER,
        expects: "nextAfter of the page before",
        description: "nextAfter of the page before",
      }),
    ),
  ),
};

/** The entries of a page. */
export function permitsOf<T extends TSchema>(view: T) {
  return Type.Array(view, { maxItems: MOST_ENTRIES, description: "The oldest first" });
}

/** Place of the last entry in the list, after which the next page begins. */
export const nextAfter = Nullable({ ...Count, description: "Send it as after for the next page; null at the end" });

/** @param stored what the store returned for `first` entries */
export function nextAfterOf(stored: readonly StoredPermit[], first: number): number | null {
  return stored.length === first ? (stored.at(-1)?.seq ?? null) : null;
}
