import { makeProcessFolder, removeAbandonedFolders } from "@dueday/db/embedded/processFolder";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import postgres from "postgres";
import { ofProcess, type TestCluster } from "./clusterOfProcess";

/** A migrated database on every test cluster, from which test databases are cloned. */
export const TEMPLATE = "dueday_template";

const FOLDER = "dueday-test-";

/** The cluster at TEST_DATABASE_URL, which `test/run.ts` sets for a whole run, or one that this process starts on the first call. */
export function testCluster(): Promise<TestCluster> {
  const url = process.env.TEST_DATABASE_URL;
  return ofProcess(() => (url ? Promise.resolve({ url, stop: async () => {} }) : startTestCluster()));
}

/** The URL of another database on the same server. */
export function urlOf({ url }: TestCluster, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

/** Starts a temporary cluster that has the template. */
export async function startTestCluster(): Promise<TestCluster> {
  await removeAbandonedFolders(FOLDER);
  const dataDir = await makeProcessFolder(FOLDER);
  const cluster = await startEmbeddedPostgres({ dataDir, temporary: true });
  const sql = postgres(cluster.url, { max: 1 });
  await sql`create database ${sql(TEMPLATE)}`;
  await sql.end();
  await migrateDatabase(urlOf(cluster, TEMPLATE));
  return cluster;
}
