import { and, count, eq, isNull, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";
import { type AdminActor, auditAdmin } from "./auditAdmin";

export type NewDeveloperKey = {
  id: string;
  subjectId: string;
  label: string | null;
  prefix: string;
  /** SHA-256 of the key's text, hex. */
  hash: string;
};

/**
 * Stores a key, unless its subject already has `maxActiveKeys` keys that are not revoked.
 *
 * @returns whether it was stored
 */
export async function createDeveloperKey(
  database: Database,
  key: NewDeveloperKey,
  maxActiveKeys: number,
  actor: AdminActor,
): Promise<boolean> {
  return database.run("create a developer key", (db) =>
    db.transaction(async (transaction) => {
      // Without the lock, two simultaneous creations could both count before either inserts.
      await transaction.execute(
        sql`select pg_advisory_xact_lock(hashtextextended(${`developer_keys:${key.subjectId}`}, 0))`,
      );
      const [active] = await transaction
        .select({ keys: count() })
        .from(developerKeys)
        .where(and(eq(developerKeys.subjectId, key.subjectId), isNull(developerKeys.revokedAt)));
      if ((active?.keys ?? 0) >= maxActiveKeys) return false;
      await transaction.insert(developerKeys).values({ ...key, byAdmin: actor.isOwner !== true, createdAt: actor.at });
      await auditAdmin(transaction, actor, { action: "create_key", keyId: key.id, subjectId: key.subjectId });
      return true;
    }),
  );
}
