import { afterAll, expect, test } from "bun:test";
import { createTestDatabase, emptyTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { sql } from "drizzle-orm";
import { awaitDatabase } from "./awaitDatabase";
import { connectDatabase, type Database } from "./connectDatabase";
import type { DatabaseError } from "./databaseError";

const { url } = await createTestDatabase();
const emptyUrl = await emptyTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

function connect(to: string, change: (url: URL) => void = () => {}): Database {
  const address = new URL(to);
  change(address);
  const database = connectDatabase({ url: address.href });
  cleanUps.push(database.close);
  return database;
}

const { signal } = new AbortController();
const unexpected = {
  warn(_: unknown, text: string) {
    throw new Error(text);
  },
};

/** A database behind a proxy that refuses connections until `appear()`. */
async function connectLater(): Promise<{ database: Database; appear(): void }> {
  const proxy = await startTcpProxy();
  cleanUps.push(proxy.stop);
  const database = connect(url, (address) => {
    address.port = String(proxy.port);
  });
  return { database, appear: () => proxy.pointAt(Number(new URL(url).port)) };
}

test("a database that can't be reached is waited for and reported once", async () => {
  const { database, appear } = await connectLater();
  const reported: (DatabaseError | undefined)[] = [];
  let attempts = 0;
  const watched: Database = {
    ...database,
    run(action, work) {
      attempts += 1;
      if (attempts === 3) appear();
      return database.run(action, work);
    },
  };
  await awaitDatabase(watched, { signal, logger: { warn: ({ err }) => reported.push(err) } });
  expect(attempts).toBeGreaterThanOrEqual(3);
  expect(reported).toHaveLength(1);
  expect(reported[0]?.retryable).toBe(true);
});

test("the wait ends at once when it is aborted, without an error", async () => {
  const { database } = await connectLater();
  const ending = new AbortController();
  await awaitDatabase(database, { signal: ending.signal, logger: { warn: () => ending.abort() } });
  expect(ending.signal.aborted).toBe(true);
});

test("the wait for a database that hangs ends at once too", async () => {
  const ending = new AbortController();
  const hanging: Database = { ...connect(url), run: () => new Promise(() => {}) };
  const waiting = awaitDatabase(hanging, { signal: ending.signal, logger: unexpected });
  ending.abort();
  await waiting;
});

test("the error for a server that can't be reached names the setting that holds its URL", async () => {
  const work = connect("postgres://user@127.0.0.1:1/none").run("answer", (db) => db.execute(sql`select 1`));
  await expect(work).rejects.toThrow(
    "the database could not answer (UNREACHABLE): start it, or correct DATABASE_URL if that is set",
  );
});

test("a server that refuses is not waited for, and the error names what to correct", async () => {
  const misnamed = connect(url, (address) => {
    address.pathname = "/no_such_database";
  });
  await expect(awaitDatabase(misnamed, { signal, logger: unexpected })).rejects.toThrow(
    /3D000.*correct its name in DATABASE_URL$/,
  );
  const unknownUser = connect(url, (address) => {
    address.username = "no_such_user";
  });
  await expect(awaitDatabase(unknownUser, { signal, logger: unexpected })).rejects.toThrow(
    /\(28\w{3}.*correct .*user.* in DATABASE_URL$/,
  );
});

test("the error from a database without tables names the migration command", async () => {
  const work = connect(emptyUrl).run("read snapshots", (db) => db.execute(sql`select 1 from snapshots`));
  await expect(work).rejects.toThrow(/42P01.*run `bun run migrate`$/);
});

test("a database without any migration, or without the last one, is refused with the command to run", async () => {
  const empty = connect(emptyUrl);
  await expect(awaitDatabase(empty, { signal, logger: unexpected })).rejects.toThrow(/42P01.*run `bun run migrate`$/);
  const older = connect(url);
  const [last] = await older.sql`delete from drizzle.__drizzle_migrations
    where created_at = (select max(created_at) from drizzle.__drizzle_migrations) returning *`;
  await expect(awaitDatabase(older, { signal, logger: unexpected })).rejects.toThrow(
    "the database lacks migrations of this version: run `bun run migrate` first",
  );
  await older.sql`insert into drizzle.__drizzle_migrations ${older.sql(last ?? {})}`;
  await awaitDatabase(older, { signal, logger: unexpected });
});

test("a database of a newer version is accepted, as an update needs it, with what to do", async () => {
  const newer = connect(url);
  await newer.sql`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', ${Date.UTC(2100, 0)})`;
  const warnings: string[] = [];
  await awaitDatabase(newer, { signal, logger: { warn: (_, text) => warnings.push(text) } });
  await newer.sql`delete from drizzle.__drizzle_migrations where hash = 'newer'`;
  expect(warnings).toEqual([expect.stringContaining("replace this process with one of that version")]);
});
