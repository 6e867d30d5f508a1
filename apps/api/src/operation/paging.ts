import { validationError } from "@dueday/core/errors";
import { PAGE_LIMIT, SKIP_LIMIT } from "@dueday/core/paging";
import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { inQuery } from "./defineOperation";

/** A schema with a default value, whose type carries it: a client may leave the property out. */
export function withDefault<T extends TSchema, const D extends Static<T>>(schema: T, value: D): T & { default: D } {
  return { ...schema, default: value };
}

export const FIRST_DEFAULT = 50;

/** Entries of a page, at most `most`. */
export function firstUpTo<const D extends number>(most: number, byDefault: D) {
  return inQuery(
    withDefault(
      Type.Integer({
        minimum: 1,
        maximum: most,
        description: "Entries of a page",
        expects: `a whole number of entries, 1 to ${most}`,
      }),
      byDefault,
    ),
  );
}

/** Entries of a page. */
export const first = firstUpTo(PAGE_LIMIT, FIRST_DEFAULT);

/** Entries before the page. */
export const skip = inQuery(
  withDefault(
    Type.Integer({
      minimum: 0,
      maximum: SKIP_LIMIT,
      description: "Entries before the page",
      expects: `a whole number of entries, 0 to ${SKIP_LIMIT}`,
    }),
    0,
  ),
);

/** @throws ServiceError VALIDATION_ERROR for a page with `skip` and `after` */
export function requireOneStart({ skip, after }: { skip: number; after?: string | number | undefined }): void {
  if (after !== undefined && skip > 0)
    throw validationError(
      "skip",
      "NOT_ALLOWED",
      "must not be given with after, which is already the start of the page",
    );
}
