import { afterAll, setDefaultTimeout } from "bun:test";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import postgres from "postgres";
import { TEMPLATE, testCluster, urlOf } from "./testCluster";

export type TestDatabase = { url: string; database: Database };

/** Bun's default of 5 s is short for a real database on a busy machine. */
const TIMEOUT_MS = 60_000;

/**
 * An empty, migrated database for one test file, dropped after its tests. Call it at the top of the file:
 *
 *     const { database, url } = await createTestDatabase();
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  setDefaultTimeout(TIMEOUT_MS);
  const cluster = await testCluster();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(cluster.url, `create database ${name} template ${TEMPLATE}`);
  const url = urlOf(cluster, name);
  const database = connectDatabase({ url });
  afterAll(async () => {
    await database.close();
    await administer(cluster.url, `drop database ${name} with (force)`);
  });
  return { url, database };
}

/** The URL of a database without any tables, for what migrates itself; dropped after the file's tests. */
export async function emptyTestDatabase(): Promise<string> {
  setDefaultTimeout(TIMEOUT_MS);
  const cluster = await testCluster();
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await administer(cluster.url, `create database ${name}`);
  afterAll(() => administer(cluster.url, `drop database ${name} with (force)`));
  return urlOf(cluster, name);
}

async function administer(url: string, statement: string): Promise<void> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  await sql.unsafe(statement);
  await sql.end();
}
