import { sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { developerKeys } from "../schema/access";

/** Records when keys were last used, unless a use less than a minute earlier is already recorded. */
export async function touchDeveloperKeys(database: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  if (uses.size === 0) return;
  const rows = [...uses].map(([id, usedAt]) => sql`(${id}::uuid, ${usedAt.toISOString()}::timestamptz)`);
  await database.run("record the use of developer keys", (db) =>
    db.execute(sql`
      update ${developerKeys} set last_used_at = used.at
      from (values ${sql.join(rows, sql`, `)}) as used (id, at)
      where ${developerKeys.id} = used.id
        and (${developerKeys.lastUsedAt} is null or ${developerKeys.lastUsedAt} <= used.at - interval '1 minute')`),
  );
}
