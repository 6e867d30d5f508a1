import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { adminAudit } from "../schema/access";

/** An action on keys: with the admin secret, or by their owner in the developer portal (prefix `owner_`). */
export type AdminAction = KeyAction | `owner_${KeyAction}`;
export type KeyAction = "create_key" | "list_keys" | "revoke_key";

/** The client of an action, and its time. */
export type AdminActor = {
  at: Date;
  requestId: string;
  /** Hash of the client's address with the key of that day. */
  client: string;
  /** Whether the owner of the keys acts, in the developer portal. Default false: the admin acts. */
  isOwner?: boolean;
};

/** Writes an audit row, in the transaction of the action itself, so that neither is stored without the other. */
export async function auditAdmin(
  transaction: Pick<PostgresJsDatabase, "insert">,
  { isOwner = false, ...actor }: AdminActor,
  { action, ...key }: { action: KeyAction; keyId?: string; subjectId?: string },
): Promise<void> {
  const done: AdminAction = isOwner ? `owner_${action}` : action;
  await transaction.insert(adminAudit).values({ ...actor, ...key, action: done });
}
