import type { Database } from "../connectDatabase";
import { logTables } from "../eventIndex/copyLogs";
import { derivedTables } from "../eventIndex/deriveRange";

/** Updates the planner's statistics of the index, for example after a backfill, instead of waiting for autovacuum. */
export async function analyzeIndex(database: Database): Promise<void> {
  const tables = [...logTables, ...derivedTables];
  await database.run("analyze the index", () => database.sql`analyze ${database.sql(tables)}`);
}
