import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";

export type BenchDatabase = {
  url: string;
  /** A temporary folder for the benchmark's own files. */
  folder: string;
  /** Stops PostgreSQL and removes the folder. */
  stop(): Promise<void>;
};

/** Starts an embedded PostgreSQL with all tables, in a temporary folder. */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), temporary: true });
  await migrateDatabase(postgres.url);
  return {
    url: postgres.url,
    folder,
    async stop() {
      await postgres.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const LIMITS = ["GLOBAL_RPM", "EXPENSIVE_RPM", "SUBGRAPH_DAILY", "WRITE_RPM", "WRITE_DAILY", "DAILY_TOTAL_REQUESTS"];

/** Settings that lift every limit of the free lane. */
export const UNLIMITED: Readonly<Record<string, string>> = Object.fromEntries(
  LIMITS.map((name) => [`LIMIT_FREE_${name}`, "1000000000"]),
);
