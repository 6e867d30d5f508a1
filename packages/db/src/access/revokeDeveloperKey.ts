import { and, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";
import { type AdminActor, auditAdmin } from "./auditAdmin";

/**
 * Revokes a key permanently. Repeating it leaves the key as it is, and is audited again.
 *
 * @param owner a key of another subject counts as unknown; null for a key of any subject
 * @returns when it was first revoked; null for an unknown id
 */
export async function revokeDeveloperKey(
  database: Database,
  id: string,
  actor: AdminActor,
  owner: string | null = null,
): Promise<Date | null> {
  const isMeant =
    owner === null ? eq(developerKeys.id, id) : and(eq(developerKeys.id, id), eq(developerKeys.subjectId, owner));
  return database.run("revoke a developer key", (db) =>
    db.transaction(async (transaction) => {
      await transaction
        .update(developerKeys)
        // By the clock of the database, because the clocks of the processes that read recent revocations may differ.
        .set({ revokedAt: sql`now()` })
        .where(and(isMeant, isNull(developerKeys.revokedAt)));
      const { revokedAt, subjectId } = developerKeys;
      const [key] = await transaction.select({ revokedAt, subjectId }).from(developerKeys).where(isMeant);
      if (key === undefined) return null;
      await auditAdmin(transaction, actor, { action: "revoke_key", keyId: id, subjectId: key.subjectId });
      return key.revokedAt;
    }),
  );
}
