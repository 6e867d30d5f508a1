import { parseConfig } from "@dueday/config/parseConfig";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { analyzeIndex } from "@dueday/db/indexing/analyzeIndex";
import { rebuildDerived } from "@dueday/db/indexing/rebuildDerived";

/** Long enough for an index of many millions of events. */
const DEADLINE_MS = 3_600_000;

try {
  const { databaseUrl, chains } = parseConfig(process.env);
  if (databaseUrl === null)
    throw new Error("DATABASE_URL is missing: set it to the database whose derived tables are to be rebuilt");
  const database = connectDatabase({ url: databaseUrl, deadlineMs: DEADLINE_MS });
  try {
    for (const { chainId, contract } of chains) {
      const block = await rebuildDerived(database, { chainId, contract });
      const outcome = block === null ? "nothing is indexed yet" : `rebuilt from the logs up to block ${block}`;
      process.stderr.write(`chain ${chainId}: ${outcome}\n`);
    }
    await analyzeIndex(database);
  } finally {
    // Open connections would keep the process alive.
    await database.close();
  }
} catch (error) {
  // The messages of settings and database errors contain no values.
  process.stderr.write(`${error instanceof Error ? error.message : "unknown failure"}\n`);
  process.exitCode = 1;
}
