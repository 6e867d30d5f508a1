import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import postgres from "postgres";

export type BenchDatabase = {
  url: string;
  /** A temporary folder for the benchmark's own files. */
  folder: string;
  /** Stops PostgreSQL, or drops the database on another server, and removes the folder. */
  stop(): Promise<void>;
};

/**
 * A new database with all tables, and a temporary folder: on the server at `BENCH_DATABASE_URL` where it is set, otherwise in an embedded
 * PostgreSQL, which is compiled for size.
 */
export async function startBenchDatabase(): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "dueday-bench-"));
  const server = Bun.env.BENCH_DATABASE_URL;
  const { url, stop } = server === undefined ? await startEmbedded(folder) : await createOn(server);
  await migrateDatabase(url);
  return {
    url,
    folder,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function startEmbedded(folder: string) {
  return startEmbeddedPostgres({ dataDir: join(folder, "data"), temporary: true });
}

async function createOn(server: string) {
  const sql = postgres(server, { max: 1 });
  const name = `dueday_bench_${crypto.randomUUID().replaceAll("-", "")}`;
  await sql`create database ${sql(name)}`;
  const url = new URL(server);
  url.pathname = name;
  return {
    url: url.href,
    async stop() {
      await sql`drop database ${sql(name)} with (force)`;
      await sql.end();
    },
  };
}

const LIMITS = ["GLOBAL_RPM", "EXPENSIVE_RPM", "SUBGRAPH_DAILY", "WRITE_RPM", "WRITE_DAILY", "DAILY_TOTAL_REQUESTS"];

/** Settings that lift every limit of the free lane. */
export const UNLIMITED: Readonly<Record<string, string>> = Object.fromEntries(
  LIMITS.map((name) => [`LIMIT_FREE_${name}`, "1000000000"]),
);
