import { sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";

/** The period that `readRevokedKeys` covers; much longer than the transaction of a revocation can take. */
export const REVOKED_WITHIN_MS = 60_000;

/** Ids of the keys that were revoked within `REVOKED_WITHIN_MS`, by the clock of the database. */
export async function readRevokedKeys(database: Database): Promise<string[]> {
  const since = sql`now() - ${`${REVOKED_WITHIN_MS} milliseconds`}::interval`;
  const rows = await database.run("read revoked keys", (db) =>
    db.select({ id: developerKeys.id }).from(developerKeys).where(sql`${developerKeys.revokedAt} > ${since}`),
  );
  return rows.map(({ id }) => id);
}
