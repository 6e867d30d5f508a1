import type { PostgresJsDatabase } from "drizzle-orm/postgres-js";
import { adminAudit } from "../schema/access";

export type AdminAction = "create_key" | "list_keys" | "revoke_key";

/** Who asked for an admin action, and when. */
export type AdminActor = {
  at: Date;
  requestId: string;
  /** The day's hash of the client's address. */
  client: string;
};

/** Writes one line of the audit, in the transaction of the action itself: there is neither without the other. */
export async function auditAdmin(
  transaction: Pick<PostgresJsDatabase, "insert">,
  actor: AdminActor,
  done: { action: AdminAction; keyId?: string; subjectId?: string },
): Promise<void> {
  await transaction.insert(adminAudit).values({ ...actor, ...done });
}
