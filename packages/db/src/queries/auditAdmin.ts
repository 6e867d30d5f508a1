import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { adminAudit } from "../schema/access";

export type AdminAction = "create_key" | "list_keys" | "revoke_key";

/** The client of an admin action, and its time. */
export type AdminActor = {
  at: Date;
  requestId: string;
  /** Hash of the client's address with the key of that day. */
  client: string;
};

/** Writes an audit row, in the transaction of the action itself, so that neither is stored without the other. */
export async function auditAdmin(
  transaction: Pick<PostgresJsDatabase, "insert">,
  actor: AdminActor,
  done: { action: AdminAction; keyId?: string; subjectId?: string },
): Promise<void> {
  await transaction.insert(adminAudit).values({ ...actor, ...done });
}
