import type { AdminActor } from "@dueday/db/queries/auditAdmin";
import { keysDisabled } from "../../identity/startIdentity";
import type { Context, KeyManagement } from "../../operation/context";

/** The caller of an admin action, for the audit. */
export function actorOf({ clock, requestId, client }: Context): AdminActor {
  return { at: new Date(clock()), requestId, client };
}

/** @throws ServiceError KEYS_DISABLED where developer keys can't be managed. */
export function requireKeys({ keys }: Context): KeyManagement {
  if (keys !== null) return keys;
  throw keysDisabled();
}
