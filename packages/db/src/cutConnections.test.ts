import { describe, expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy, type TcpProxy } from "@dueday/test-support/startTcpProxy";
import type { ReservedSql, TransactionSql } from "postgres";
import { connectDatabase, type Database } from "./connectDatabase";

const { database: other, url } = await createTestDatabase();

type Cut = (pid: number, proxy: TcpProxy) => unknown;

const ways: readonly (readonly [name: string, cut: Cut])[] = [
  ["ended by the server", (pid) => other.sql`select pg_terminate_backend(${pid}, 5000)`],
  ["closed by the proxy", (_pid, proxy) => proxy.cut()],
  ["reset by the proxy", (_pid, proxy) => proxy.reset()],
];
/** Turns of the event loop before the connection is used again, because the driver defers some of its work. */
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

/** Sends several statements at once: one runs, the others wait in the queues of the driver. */
function askSeveral(held: TransactionSql | ReservedSql): Promise<("answered" | "rejected")[]> {
  return Promise.all([1, 2, 3].map((each) => outcomeOf(held`select pg_sleep(60), ${each}::int`)));
}

async function waitTurns(times: number): Promise<void> {
  for (let time = 0; time < times; time++) await new Promise<void>((resolve) => setImmediate(resolve));
}

async function expectToWork({ sql }: Database): Promise<void> {
  for (let time = 0; time < 3; time++) expect([...(await sql`select 1 as one`)]).toEqual([{ one: 1 }]);
  expect(await outcomeOf(sql.begin((inside) => inside`select 1`))).toBe("answered");
}

// These fail without the patch of the driver: docs/decisions/patched-postgres-driver.md.
describe.each(ways)("a connection that is %s while it is reserved", (_name, cut) => {
  test("rejects the rest of a transaction, and the pool keeps working", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const transaction = database.sql.begin(async (sql) => {
          await cut(await pidOf(sql), proxy);
          await waitTurns(pause);
          await sql`select 2`;
        });
        expect(await outcomeOf(transaction)).toBe("rejected");
        await expectToWork(database);
      }
    }));

  test("settles the statements that a transaction waits for, lets it clean up, and the pool keeps working", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const { promise: settled, resolve } = Promise.withResolvers<string[]>();
        const transaction = outcomeOf(
          database.sql.begin(async (sql) => {
            const pid = await pidOf(sql);
            const asked = askSeveral(sql);
            await waitTurns(pause);
            await cut(pid, proxy);
            resolve(await asked);
          }),
        );
        expect(await settled).toEqual(["rejected", "rejected", "rejected"]);
        expect(await transaction).toBe("rejected");
        await expectToWork(database);
      }
    }));

  test("rejects every statement of the reservation, pending and later ones, and the pool keeps working", () =>
    withOneConnection(async (database, proxy) => {
      for (const pause of pauses) {
        const held = await database.sql.reserve();
        const pid = await pidOf(held);
        const asked = askSeveral(held);
        await waitTurns(pause);
        await cut(pid, proxy);
        expect(await asked).toEqual(["rejected", "rejected", "rejected"]);
        for (let time = 0; time < 3; time++) expect(await outcomeOf(held`select 2`)).toBe("rejected");
        held.release();
        await expectToWork(database);
      }
    }));

  test("is given to the next waiter as a new session, which late statements of the old reservation do not reach", () =>
    withOneConnection(async (database, proxy) => {
      const held = await database.sql.reserve();
      await held`set application_name = 'of the old reservation'`;
      const pid = await pidOf(held);
      const waiting = database.sql<{ name: string }[]>`select current_setting('application_name') as name`;
      const name = waiting.then(([row]) => row?.name);
      await cut(pid, proxy);
      expect(await name).toBe("dueday");
      expect(await outcomeOf(held`set application_name = 'of the old reservation'`)).toBe("rejected");
      held.release();
      expect([...(await database.sql`select current_setting('application_name') as name`)]).toEqual([
        { name: "dueday" },
      ]);
    }));
});

test("a reservation that waits gets a connection when the database is back, although the attempt before failed", () =>
  withOneConnection(async (database, proxy) => {
    const CLOSED_PORT = 1;
    proxy.pointAt(CLOSED_PORT);
    const first = outcomeOf(database.sql`select 1`);
    await waitTurns(1);
    const waiting = database.sql.reserve();
    expect(await first).toBe("rejected");
    proxy.pointAt(Number(new URL(url).port));
    const held = await waiting;
    expect([...(await held`select 1 as one`)]).toEqual([{ one: 1 }]);
    held.release();
    await expectToWork(database);
  }));
