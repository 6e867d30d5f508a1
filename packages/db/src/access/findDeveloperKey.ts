import { and, eq, isNull } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";

/** The columns of a key that authentication reads. */
export type ActiveKey = { id: string; subjectId: string; byAdmin: boolean; lastUsedAt: Date | null };

/** The key whose text has this SHA-256 (hex); null if it is unknown or revoked. */
export async function findDeveloperKey(database: Database, hash: string): Promise<ActiveKey | null> {
  const { id, subjectId, byAdmin, lastUsedAt } = developerKeys;
  const rows = await database.run("find a developer key", (db) =>
    db
      .select({ id, subjectId, byAdmin, lastUsedAt })
      .from(developerKeys)
      .where(and(eq(developerKeys.hash, hash), isNull(developerKeys.revokedAt))),
  );
  return rows[0] ?? null;
}
