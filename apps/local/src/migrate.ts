import { parseConfig } from "@dueday/config/parseConfig";
import { migrateDatabase } from "@dueday/db/migrateDatabase";

try {
  const { databaseUrl } = parseConfig(process.env);
  if (databaseUrl === null) throw new Error("DATABASE_URL is missing: set it to the database to migrate");
  await migrateDatabase(databaseUrl);
  process.stderr.write("the database is up to date\n");
} catch (error) {
  // The messages of settings and database errors contain no values.
  process.stderr.write(`${error instanceof Error ? error.message : "unknown failure"}\n`);
  process.exitCode = 1;
}
