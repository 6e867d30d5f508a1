import { describe, expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy, type TcpProxy } from "@dueday/test-support/startTcpProxy";
import type { ReservedSql, TransactionSql } from "postgres";
import { connectDatabase, type Database } from "./connectDatabase";

const { database: other, url } = await createTestDatabase();

type Cut = (pid: number, proxy: TcpProxy) => unknown;

const ways: readonly (readonly [name: string, cut: Cut])[] = [
  ["ended by the server", (pid) => other.sql`select pg_terminate_backend(${pid}, 5000)`],
  ["closed on the way", (_pid, proxy) => proxy.cut()],
  ["reset on the way", (_pid, proxy) => proxy.reset()],
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

async function pidOf(held: TransactionSql | ReservedSql): Promise<number> {
  const [row] = await held<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return row?.pid ?? 0;
}

async function outcomeOf(work: PromiseLike<unknown>): Promise<"answered" | "rejected"> {
  return work.then(
    () => "answered" as const,
    () => "rejected" as const,
  );
}

/** Several statements at once: one runs, and the others wait for it in one queue of the driver or another. */
function askSeveral(held: TransactionSql | ReservedSql): Promise<("answered" | "rejected")[]> {
  return Promise.all([1, 2, 3].map((each) => outcomeOf(held`select pg_sleep(60), ${each}::int`)));
}

async function goRound(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await new Promise<void>((resolve) => setImmediate(resolve));
}

async function expectToServe({ sql }: Database): Promise<void> {
  for (let time = 0; time < 3; time++) expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }]);
  expect(await outcomeOf(sql.begin((inside) => inside`select 1`))).toBe("answered");
}

// The driver needs its patch for these: docs/architecture.md, "The database driver".
describe.each(ways)("a connection that is %s while somebody holds it", (_name, cut) => {
  test("rejects the rest of a transaction, and the pool serves on", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const transaction = database.sql.begin(async (sql) => {
          await cut(await pidOf(sql), proxy);
          await goRound(pause);
          await sql`select 2`;
        });
        expect(await outcomeOf(transaction)).toBe("rejected");
        await expectToServe(database);
      }
    }));

  test("settles the statements that a transaction waits for, lets it clean up, and the pool serves on", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const { promise: settled, resolve } = Promise.withResolvers<string[]>();
        const transaction = outcomeOf(
          database.sql.begin(async (sql) => {
            const pid = await pidOf(sql);
            const asked = askSeveral(sql);
            await goRound(pause);
            await cut(pid, proxy);
            resolve(await asked);
          }),
        );
        expect(await settled).toEqual(["rejected", "rejected", "rejected"]);
        expect(await transaction).toBe("rejected");
        await expectToServe(database);
      }
    }));

  test("rejects all that who reserved it asks, then and later, and the pool serves on", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const held = await database.sql.reserve();
        const pid = await pidOf(held);
        const asked = askSeveral(held);
        await goRound(pause);
        await cut(pid, proxy);
        expect(await asked).toEqual(["rejected", "rejected", "rejected"]);
        for (let time = 0; time < 3; time++) expect(await outcomeOf(held`select 2`)).toBe("rejected");
        held.release();
        await expectToServe(database);
      }
    }));

  test("goes to who waits for it as a new session, which the late statements of the holder do not reach", () =>
    withOneConnection(async (database, proxy) => {
      const held = await database.sql.reserve();
      await held`set application_name = 'of the holder'`;
      const pid = await pidOf(held);
      const waiting = database.sql<{ name: string }[]>`select current_setting('application_name') as name`;
      const name = waiting.then(([row]) => row?.name);
      await cut(pid, proxy);
      expect(await name).toBe("dueday");
      expect(await outcomeOf(held`set application_name = 'of the holder'`)).toBe("rejected");
      held.release();
      expect([...(await database.sql`select current_setting('application_name') as name`)]).toEqual([
        { name: "dueday" },
      ]);
    }));
});
