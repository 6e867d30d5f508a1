import { parseConfig } from "@dueday/config/parseConfig";
import { migrateDatabase } from "@dueday/db/migrateDatabase";

try {
  const { databaseUrl } = parseConfig(process.env);
  if (databaseUrl === null) throw new Error("DATABASE_URL is missing: the database to migrate");
  await migrateDatabase(databaseUrl);
  process.stderr.write("the database is up to date\n");
} catch (error) {
  // Settings and database errors are sentences without values; anything else would be a bug.
  process.stderr.write(`${error instanceof Error ? error.message : "unknown failure"}\n`);
  process.exitCode = 1;
}
