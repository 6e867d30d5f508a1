import { described, Uuid } from "@dueday/core/schema";
import type { AdminActor } from "@dueday/db/access/auditAdmin";
import { Type } from "@sinclair/typebox";
import { keysDisabled } from "../../identity/startIdentity";
import type { Context, KeyManagement } from "../../operation/context";

/** Text that is stored and shown, so it has no control characters (PostgreSQL rejects NUL). */
const ONE_LINE = "^[^\\u0000-\\u001f\\u007f]*$";

export const KeyId = described(Uuid, "UUID of a key, lower case");

/** The text of a key, or its beginning. */
export const KeyText = Type.String({ pattern: "^dueday_[0-9A-Za-z]{5,46}$", maxLength: 53 });

export const SubjectId = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: ONE_LINE,
  expects: "one line of 1 to 200 characters, without control characters",
  description: "Owner of the key in the operator's own system; choose an id that identifies no person",
});

export const Label = Type.String({
  maxLength: 200,
  pattern: ONE_LINE,
  expects: "one line of at most 200 characters, without control characters",
  description: "Purpose of the key",
});

/** The caller of an action on keys, for the audit: the owner in the portal, else the admin. */
export function actorOf({ clock, requestId, client, portal }: Context): AdminActor {
  return { at: new Date(clock()), requestId, client, isOwner: portal !== undefined };
}

/** @throws ServiceError KEYS_DISABLED where developer keys can't be managed. */
export function requireKeys({ keys }: Context): KeyManagement {
  if (keys !== null) return keys;
  throw keysDisabled();
}
