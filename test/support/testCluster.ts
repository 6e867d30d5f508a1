import { makeProcessFolder, removeAbandonedFolders } from "@dueday/db/embedded/processFolder";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import postgres from "postgres";

/** A PostgreSQL for tests, with a migrated database that test databases are cloned from. */
export type TestCluster = { server: EmbeddedPostgres; template: string };

const TEMPLATE = "dueday_template";
const FOLDER = "dueday-test-";

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
  await removeAbandonedFolders(FOLDER);
  const dataDir = await makeProcessFolder(FOLDER);
  const server = await startEmbeddedPostgres({ dataDir, temporary: true });
  const cluster = { server, template: TEMPLATE };
  const sql = postgres(server.url, { max: 1 });
  await sql`create database ${sql(TEMPLATE)}`;
  await sql.end();
  await migrateDatabase(urlOf(cluster, TEMPLATE));
  return cluster;
}
