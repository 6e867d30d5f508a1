import { afterAll, setDefaultTimeout } from "bun:test";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import postgres from "postgres";
import type { TestCluster } from "./clusterOfProcess";
import { startTestCluster, TEMPLATE, testCluster, urlOf } from "./testCluster";

export type TestDatabase = { url: string; database: Database };

export type TestDatabaseOptions = {
  /**
   * On a separate server, for tests that freeze a session: a server waits for all of its sessions before it drops a database,
   * and other test files drop theirs. Default false.
   */
  ownServer?: boolean;
};

/** Bun's default of 5 s is short for a real database on a busy machine. */
const TIMEOUT_MS = 180_000;
/** Deadline of the statements that a test makes itself. Tests of deadlines open their own connection. */
const DEADLINE_MS = 30_000;

/**
 * An empty, migrated database for one test file, dropped after its tests. Call it at the top of the file:
 *
 *     const { database, url } = await createTestDatabase();
 */
export async function createTestDatabase({ ownServer = false }: TestDatabaseOptions = {}): Promise<TestDatabase> {
  setDefaultTimeout(TIMEOUT_MS);
  const cluster = await (ownServer ? startTestCluster() : testCluster());
  const url = await createDatabase(cluster, `template ${TEMPLATE}`);
  const database = connectDatabase({ url, deadlineMs: DEADLINE_MS });
  afterAll(async () => {
    await database.close();
    await (ownServer ? cluster.stop() : dropDatabase(cluster, url));
  });
  return { url, database };
}

/** The URL of a database without any tables, for tests that migrate it; dropped after the file's tests. */
export async function emptyTestDatabase(): Promise<string> {
  setDefaultTimeout(TIMEOUT_MS);
  const cluster = await testCluster();
  const url = await createDatabase(cluster);
  afterAll(() => dropDatabase(cluster, url));
  return url;
}

async function createDatabase(cluster: TestCluster, options = ""): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(cluster, `create database ${name} ${options}`);
  return urlOf(cluster, name);
}

function dropDatabase(cluster: TestCluster, url: string): Promise<void> {
  return administer(cluster, `drop database ${new URL(url).pathname.slice(1)} with (force)`);
}

async function administer({ url }: TestCluster, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}
