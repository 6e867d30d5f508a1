import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { clearLeftover } from "@dueday/db/embedded/clusterFiles";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import postgres from "postgres";

/** A PostgreSQL for tests, with a migrated database that test databases are cloned from. */
export type TestCluster = { server: EmbeddedPostgres; template: string };

const TEMPLATE = "dueday_template";
const FOLDER = /^dueday-test-(\d+)-/;

// On globalThis, because a test file may get modules of its own, and the cluster is one for the whole process.
const clusterOfProcess: { [key: symbol]: Promise<TestCluster> | undefined } = globalThis;
const KEY = Symbol.for("dueday.testCluster");

/** The cluster of this test process, started by whoever asks first. */
export function testCluster(): Promise<TestCluster> {
  clusterOfProcess[KEY] ??= startTestCluster();
  return clusterOfProcess[KEY];
}

/** Ends the cluster of this process, if any test asked for one. */
export async function stopTestCluster(): Promise<void> {
  const cluster = await clusterOfProcess[KEY];
  clusterOfProcess[KEY] = undefined;
  await cluster?.server.stop();
}

/** The same server, another database. */
export function urlOf({ server }: TestCluster, database: string): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  return url.href;
}

async function startTestCluster(): Promise<TestCluster> {
  await removeAbandoned();
  const dataDir = await mkdtemp(join(tmpdir(), `dueday-test-${process.pid}-`));
  const server = await startEmbeddedPostgres({ dataDir, temporary: true });
  const cluster = { server, template: TEMPLATE };
  const sql = postgres(server.url, { max: 1 });
  await sql`create database ${sql(TEMPLATE)}`;
  await sql.end();
  await migrateDatabase(urlOf(cluster, TEMPLATE));
  return cluster;
}

/** What runs that were killed left behind. */
async function removeAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const pid = FOLDER.exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const folder = join(tmpdir(), name);
    await clearLeftover(join(folder, "cluster"));
    await rm(folder, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
