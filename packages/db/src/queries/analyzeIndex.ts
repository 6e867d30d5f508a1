import type { Database } from "../connectDatabase";
import { logTables } from "../index/copyLogs";
import { derivedTables } from "../index/deriveRange";

/** Lets the planner count the rows of the index now, as after a backfill, rather than when the server comes to it by itself. */
export async function analyzeIndex(database: Database): Promise<void> {
  const tables = [...logTables, ...derivedTables];
  await database.run("analyze the index", () => database.sql`analyze ${database.sql(tables)}`);
}
