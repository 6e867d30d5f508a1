import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { aborted } from "@dueday/core/aborted";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { holdLease, IDLE_MS } from "./holdLease";
import { watchDatabase } from "./watchDatabase";

const { database, url } = await createTestDatabase();
const PROGRAM = join(import.meta.dir, "../test/leaseHolder.ts");
/** A worker that dies or is frozen is replaced within this time. */
const TAKEN_OVER_MS = 5_000;
const children: Bun.Subprocess[] = [];
afterAll(async () => {
  for (const child of children) child.kill("SIGKILL");
  await Promise.all(children.map(({ exited }) => exited));
});

/** A process that works while it holds the lease, and what it has printed: "begin" and "end". */
async function startHolder(name: string) {
  const child = Bun.spawn([process.execPath, PROGRAM, url, name], { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  const printed: string[] = [];
  const reading = (async () => {
    for await (const chunk of child.stdout) printed.push(...new TextDecoder().decode(chunk).trim().split("\n"));
  })();
  return { child, printed, reading };
}

/** Waits for the lease in this process, and returns how long it took. */
async function msUntilTaken(name: string): Promise<number> {
  const aborter = new AbortController();
  const start = performance.now();
  let took = 0;
  await holdLease(database, {
    name,
    signal: aborter.signal,
    async work() {
      took = performance.now() - start;
      aborter.abort();
    },
    onFault(error) {
      throw error;
    },
  });
  return took;
}

test("a lease that its holder gives up is taken by one that waits, and never by two at a time", async () => {
  const aborter = new AbortController();
  let working = 0;
  let most = 0;
  let turns = 0;
  await Promise.all(
    Array.from({ length: 3 }, () =>
      holdLease(database, {
        name: "turns",
        signal: aborter.signal,
        async work() {
          most = Math.max(most, ++working);
          await database.sql`select pg_sleep(0.02)`;
          working--;
          if (++turns === 3) aborter.abort();
        },
        onFault() {},
      }),
    ),
  );
  expect(most).toBe(1);
  // One that waited may have taken it before it saw the abort.
  expect(turns).toBeGreaterThanOrEqual(3);
}, 30_000);

test("a holder whose connection was lost reports that, as part of an outage of the database", async () => {
  const aborter = new AbortController();
  const faults: unknown[] = [];
  const held = Promise.withResolvers<void>();
  const holding = holdLease(database, {
    name: "connection",
    signal: aborter.signal,
    async work(signal) {
      held.resolve();
      await aborted(signal);
    },
    onFault: (error) => void faults.push(error),
  });
  await held.promise;
  await database.sql`select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and granted
    and database = (select oid from pg_database where datname = current_database())`;
  await waitUntil("the fault", () => faults.length > 0);
  aborter.abort();
  await holding;
  const watch = watchDatabase({
    database: { ...database, close: async () => {} },
    onAway() {},
    onBack() {},
  });
  expect(faults.map((fault) => watch.covers(fault))).toEqual([true]);
  await watch.close();
}, 30_000);

test("the lease of a process that is killed is taken over within 5 s", async () => {
  const holder = await startHolder("killed");
  await waitUntil("the process to hold the lease", () => holder.printed.includes("begin"));
  holder.child.kill("SIGKILL");
  expect(await msUntilTaken("killed")).toBeLessThan(TAKEN_OVER_MS);
}, 60_000);

test("a process that is frozen loses the lease within 5 s, and stops to work when it goes on", async () => {
  const holder = await startHolder("frozen");
  await waitUntil("the process to hold the lease", () => holder.printed.includes("begin"));
  holder.child.kill("SIGSTOP");
  const took = await msUntilTaken("frozen");
  expect(took).toBeLessThan(TAKEN_OVER_MS);
  expect(took).toBeGreaterThan(IDLE_MS / 2);
  holder.child.kill("SIGCONT");
  await waitUntil("the process to stop its work", () => holder.printed.includes("end"));
}, 60_000);
