import { validationError } from "@dueday/core/errors";
import type { LogCursor } from "@dueday/db/history/readEvents";
import { Type } from "@sinclair/typebox";

/** A position in a list, for clients. The schema refuses a text that is longer than any cursor. */
export const Cursor = Type.String({
  pattern: "^[A-Za-z0-9_-]*$",
  maxLength: 64,
  expects: "nextAfter of an earlier answer, unchanged",
});

/** The position of a log as clients hold it: opaque, so that its form may change. */
export function toCursor({ blockNumber, logIndex }: LogCursor): string {
  return Buffer.from(`${blockNumber}.${logIndex}`).toString("base64url");
}

/** @throws ServiceError VALIDATION_ERROR for a text that `toCursor` did not make */
export function readCursor(text: string): LogCursor {
  const found = Buffer.from(text, "base64url")
    .toString("latin1")
    .match(/^(\d{1,15})\.(\d{1,9})$/);
  const cursor = { blockNumber: Number(found?.[1]), logIndex: Number(found?.[2]) };
  if (found === null || toCursor(cursor) !== text)
    throw validationError("after", "MALFORMED", "must be nextAfter of an earlier answer, unchanged");
  return cursor;
}
