import { sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";

/** How far back `readRevokedKeys` looks: far longer than a revocation's transaction can take to commit. */
export const REVOKED_WITHIN_MS = 60_000;

/** Ids of the keys revoked lately, by the database's own clock. */
export async function readRevokedKeys(database: Database): Promise<string[]> {
  const since = sql`now() - ${`${REVOKED_WITHIN_MS} milliseconds`}::interval`;
  const rows = await database.run("read revoked keys", (db) =>
    db.select({ id: developerKeys.id }).from(developerKeys).where(sql`${developerKeys.revokedAt} > ${since}`),
  );
  return rows.map(({ id }) => id);
}
