import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { sql } from "drizzle-orm";
import { connectDatabase } from "./connectDatabase";
import { DatabaseError } from "./databaseError";

const { database, url } = await createTestDatabase({ ownServer: true });

async function failureOf(work: Promise<unknown>): Promise<DatabaseError> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof DatabaseError)) throw new Error(`not a DatabaseError: ${String(error)}`);
  return error;
}

test("a uint256 keeps every digit", async () => {
  const largest = (2n ** 256n - 1n).toString();
  const rows = await database.run("echo", (db) => db.execute(sql`select ${largest}::numeric(78,0) as amount`));
  expect([...rows]).toEqual([{ amount: largest }]);
});

test("the error of a failed statement has its code and table, but no value, statement or address", async () => {
  const insert = sql`insert into chain_identity values (null, ${"a-secret-value"}, '0x')`;
  const error = await failureOf(database.run("insert", (db) => db.execute(insert)));
  expect(error).toMatchObject({
    code: "23502",
    retryable: false,
    facts: { table: "chain_identity", column: "chain_id" },
  });
  expect(Bun.inspect(error)).not.toMatch(/a-secret-value|insert into|127\.0\.0\.1|postgres:\/\//);
});

test("a server that refuses connections is UNREACHABLE and retryable", async () => {
  const closedPort = "postgres://user:a-password@127.0.0.1:1/none";
  const unreachable = connectDatabase({ url: closedPort });
  const error = await failureOf(unreachable.run("ask", (db) => db.execute(sql`select 1`)));
  await unreachable.close();
  expect(error).toMatchObject({ code: "UNREACHABLE", retryable: true });
  expect(Bun.inspect(error)).not.toContain("a-password");
});

test("a statement that exceeds the deadline is cancelled", async () => {
  const hasty = connectDatabase({ url, deadlineMs: 200 });
  const error = await failureOf(hasty.run("sleep", (db) => db.execute(sql`select pg_sleep(600)`)));
  await hasty.close();
  expect(["DEADLINE", "57014"]).toContain(error.code);
  expect(error.retryable).toBe(true);
});

test("a frozen session blocks neither a query nor a close, and the pool works again afterwards", async () => {
  const frozen = connectDatabase({ url, poolSize: 1, deadlineMs: 300 });
  const [session] = await frozen.sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const pid = String(session?.pid);
  spawnSync("kill", ["-STOP", pid]);
  const error = await failureOf(frozen.run("ask", (db) => db.execute(sql`select 1`)));
  expect(error).toMatchObject({ code: "DEADLINE", retryable: true });
  spawnSync("kill", ["-CONT", pid]);
  expect([...(await frozen.sql`select 1 as one`)]).toEqual([{ one: 1 }]);
  spawnSync("kill", ["-STOP", pid]);
  await frozen.close();
  spawnSync("kill", ["-CONT", pid]);
});
