import { beforeEach, describe, expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy, type TcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { integer, pgTable, text } from "drizzle-orm/pg-core";
import { connectDatabase, type Database } from "../connectDatabase";
import { copyRows } from "./copyRows";

const copiedTable = pgTable("copied", { id: integer("id").primaryKey(), name: text("name") });
const { database: other, url } = await createTestDatabase();
await other.sql`create table copied (id integer primary key, name text)`;
const TIMEOUT_MS = 60_000;
beforeEach(async () => {
  await other.sql`truncate copied`;
});

/** A pool of one connection, through a proxy that can cut it. */
async function withOneConnection(work: (database: Database, proxy: TcpProxy) => Promise<void>): Promise<void> {
  const proxy = await startTcpProxy();
  const through = new URL(url);
  proxy.pointAt(Number(through.port));
  through.port = String(proxy.port);
  const database = connectDatabase({ url: through.href, poolSize: 1, deadlineMs: 30_000 });
  try {
    await work(database, proxy);
  } finally {
    await database.close();
    await proxy.stop();
  }
}

const rowsUpTo = (count: number) => Array.from({ length: count }, (_, id) => [id, "x".repeat(1_000)] as const);

const copyUpTo = ({ sql }: Database, count: number, more: readonly (readonly [number, string])[] = []) =>
  sql.begin((inside) => copyRows(inside, copiedTable, ["id", "name"], [...rowsUpTo(count), ...more]));

async function expectToWork({ sql }: Database): Promise<void> {
  expect([...(await sql`select count(*)::int as rows from copied`)]).toEqual([{ rows: 0 }]);
}

// These fail without the patch of the driver: docs/decisions/patched-postgres-driver.md.
describe.each([1, 10_000])("a COPY of %i rows", (count) => {
  test(
    "that the server rejects fails with the server's reason, and its connection keeps working",
    () =>
      withOneConnection(async (database) => {
        const copied = copyUpTo(database, count, [[0, "twice"]]);
        await expect(copied).rejects.toMatchObject({ code: "23505" });
        await expectToWork(database);
      }),
    TIMEOUT_MS,
  );

  const cuts: [string, (pid: number, proxy: TcpProxy) => unknown][] = [
    ["ended by the server", (pid) => other.sql`select pg_terminate_backend(${pid}, 5000)`],
    ["closed by the proxy", (_pid, proxy) => proxy.cut()],
    ["reset by the proxy", (_pid, proxy) => proxy.reset()],
  ];
  test.each(cuts)(
    "whose connection is %s rejects, and the pool keeps working",
    (_name, cut) =>
      withOneConnection(async (database, proxy) => {
        const holder = await other.sql.reserve();
        await holder`begin`;
        // The COPY waits for this row.
        await holder`insert into copied values (${count - 1}, 'held')`;
        const pid = Promise.withResolvers<number>();
        const copied = Promise.withResolvers<string>();
        const transaction = database.sql.begin(async (sql) => {
          const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
          pid.resolve(row?.pid ?? 0);
          const copying = copyRows(sql, copiedTable, ["id", "name"], rowsUpTo(count));
          await copying.then(() => copied.resolve("copied")).catch(() => copied.resolve("rejected"));
        });
        const outcome = transaction.then(() => "committed").catch(() => "rejected");
        await waitUntil("the COPY to wait", async () => {
          const waiting = await other.sql`select from pg_locks where pid = ${await pid.promise} and not granted`;
          return waiting.length > 0;
        });
        await cut(await pid.promise, proxy);
        expect([await copied.promise, await outcome]).toEqual(["rejected", "rejected"]);
        await holder`rollback`;
        holder.release();
        await expectToWork(database);
      }),
    TIMEOUT_MS,
  );
});

test("a row that can't be encoded fails with the reason, and its connection keeps working", () =>
  withOneConnection(async (database) => {
    const rows = [...rowsUpTo(10_000), ["text", "x"] as const];
    const copying = database.sql.begin((sql) => copyRows(sql, copiedTable, ["id", "name"], rows));
    await expect(copying).rejects.toThrow("a string is not a value of a column of type integer");
    await expectToWork(database);
  }));
