import { describe, expect, test } from "bun:test";
import type { ReservedSql, TransactionSql } from "postgres";
import { createTestDatabase } from "../../../test/createTestDatabase";
import { startTcpProxy, type TcpProxy } from "../../../test/startTcpProxy";
import { connectDatabase, type Database } from "./connectDatabase";

const { url } = await createTestDatabase();

type Cut = (held: TransactionSql | ReservedSql, proxy: TcpProxy) => Promise<unknown>;

const ways: readonly (readonly [name: string, cut: Cut])[] = [
  ["by the server", (held) => outcomeOf(held`select pg_terminate_backend(pg_backend_pid())`)],
  ["by the network", async (_held, proxy) => proxy.cut()],
];
/** How often the event loop goes round before the connection is used again: the driver puts some of its work off. */
const pauses = [0, 1, 2, 5];

/** A pool of one connection, through a proxy that can cut it. */
async function withOneConnection(work: (database: Database, proxy: TcpProxy) => Promise<void>): Promise<void> {
  const proxy = await startTcpProxy();
  const through = new URL(url);
  proxy.pointAt(Number(through.port));
  through.port = String(proxy.port);
  const database = connectDatabase({ url: through.href, poolSize: 1, deadlineMs: 5_000 });
  try {
    await work(database, proxy);
  } finally {
    await database.close();
    await proxy.stop();
  }
}

async function outcomeOf(work: PromiseLike<unknown>): Promise<"answered" | "rejected"> {
  return work.then(
    () => "answered" as const,
    () => "rejected" as const,
  );
}

async function goRound(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await new Promise<void>((resolve) => setImmediate(resolve));
}

async function expectToServe({ sql }: Database): Promise<void> {
  for (let time = 0; time < 3; time++) expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }]);
  expect(await outcomeOf(sql.begin((inside) => inside`select 1`))).toBe("answered");
}

// The driver needs its patch for these: docs/architecture.md, "The database driver".
describe.each(ways)("a connection that is cut %s while somebody holds it", (_name, cut) => {
  test("rejects the rest of a transaction, and the pool serves on", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const transaction = database.sql.begin(async (sql) => {
          await sql`select 1`;
          await cut(sql, proxy);
          await goRound(pause);
          await sql`select 2`;
        });
        expect(await outcomeOf(transaction)).toBe("rejected");
        await expectToServe(database);
      }
    }));

  test("rejects all that who reserved it still asks, and the pool serves on", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const held = await database.sql.reserve();
        await held`select 1`;
        await cut(held, proxy);
        await goRound(pause);
        for (let time = 0; time < 3; time++) expect(await outcomeOf(held`select 2`)).toBe("rejected");
        held.release();
        await expectToServe(database);
      }
    }));

  test("goes to who waits for it as a new session, which the late statements of the holder do not reach", () =>
    withOneConnection(async (database, proxy) => {
      const held = await database.sql.reserve();
      await held`set application_name = 'of the holder'`;
      const waiting = database.sql<{ name: string }[]>`select current_setting('application_name') as name`;
      const name = waiting.then(([row]) => row?.name);
      await cut(held, proxy);
      expect(await name).toBe("dueday");
      expect(await outcomeOf(held`set application_name = 'of the holder'`)).toBe("rejected");
      held.release();
      expect([...(await database.sql`select current_setting('application_name') as name`)]).toEqual([
        { name: "dueday" },
      ]);
    }));
});
