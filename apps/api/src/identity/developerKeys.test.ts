import { afterEach, expect, test } from "bun:test";
import { createDeveloperKey } from "@dueday/db/access/createDeveloperKey";
import { findDeveloperKey } from "@dueday/db/access/findDeveloperKey";
import { revokeDeveloperKey } from "@dueday/db/access/revokeDeveloperKey";
import type { Database } from "@dueday/db/connectDatabase";
import { waitFor } from "@dueday/db/waitFor";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { createDeveloperKeys, type DeveloperKeys } from "./developerKeys";

const { database } = await createTestDatabase();
const PATIENCE_MS = 90_000;
const actor = { at: new Date(), requestId: crypto.randomUUID(), client: "hashed" };

const open: DeveloperKeys[] = [];
afterEach(async () => {
  for (const keys of open.splice(0)) await keys.close();
});

/** The keys of one process. `asked` lists its database actions, `away` makes the database fail. */
function startProcess(clock = { now: Date.now() }) {
  const state = { asked: [] as string[], away: false, errors: 0 };
  const watched: Database = {
    ...database,
    run: (action, work) => {
      state.asked.push(action);
      return state.away ? Promise.reject(new Error("away")) : database.run(action, work);
    },
  };
  const keys = createDeveloperKeys({
    database: watched,
    clock: () => clock.now,
    onError: () => {
      state.errors += 1;
    },
    intervalMs: 20,
  });
  open.push(keys);
  const lookUps = () => state.asked.filter((action) => action === "find a developer key").length;
  return { keys, state, clock, lookUps };
}

async function storeKey() {
  const key = { id: crypto.randomUUID(), subjectId: "s", label: null, prefix: "dueday_", hash: crypto.randomUUID() };
  await createDeveloperKey(database, key, 100, actor);
  return key;
}

test("concurrent look-ups of a key ask the database once, for an unknown one too", async () => {
  const { keys, lookUps } = startProcess();
  const { id, subjectId, hash } = await storeKey();
  const key = { id, subjectId, byAdmin: true };
  expect(await Promise.all([keys.lookUp(hash), keys.lookUp(hash), keys.lookUp("unknown")])).toEqual([key, key, null]);
  expect([keys.cached(hash), keys.cached("unknown")]).toEqual([key, null]);
  expect(lookUps()).toBe(2);
});

test("a revocation reaches every process that has cached the key", async () => {
  const processes = [startProcess(), startProcess(), startProcess()];
  const { id, hash } = await storeKey();
  for (const { keys } of processes) expect(await keys.lookUp(hash)).toMatchObject({ id });
  await revokeDeveloperKey(database, id, actor);
  for (const { keys } of processes) expect(await waitFor(() => keys.cached(hash) === null, PATIENCE_MS)).toBe(true);
});

test("while the database is unavailable, however long, known keys work and onError is called once; a revocation of that time is applied afterwards", async () => {
  const { keys, state, clock } = startProcess();
  const { id, hash } = await storeKey();
  await keys.lookUp(hash);
  state.away = true;
  const failures = () => state.asked.filter((action) => action === "read revoked keys").length;
  for (const step of [0, 3_600_000]) {
    clock.now += step;
    const before = failures();
    expect(await waitFor(() => failures() > before + 3, PATIENCE_MS)).toBe(true);
    expect(keys.cached(hash)).toMatchObject({ id });
  }
  expect(state.errors).toBe(1);
  await revokeDeveloperKey(database, id, actor);
  await database.sql`update developer_keys set revoked_at = revoked_at - interval '1 hour' where id = ${id}`;
  state.away = false;
  expect(await waitFor(async () => (await keys.lookUp(hash)) === null, PATIENCE_MS)).toBe(true);
});

test("the use of a key is stored once a minute", async () => {
  const { keys, state, clock } = startProcess();
  const { id, hash } = await storeKey();
  const usedAt = async () => (await findDeveloperKey(database, hash))?.lastUsedAt?.getTime();
  const writes = () => state.asked.filter((action) => action === "record the use of developer keys").length;
  const start = clock.now;
  keys.noteUse(id);
  expect(await waitFor(async () => (await usedAt()) === start, PATIENCE_MS)).toBe(true);
  for (clock.now += 1; clock.now < start + 60_000; clock.now += 1_000) keys.noteUse(id);
  clock.now = start + 60_000;
  keys.noteUse(id);
  expect(await waitFor(async () => (await usedAt()) === start + 60_000, PATIENCE_MS)).toBe(true);
  expect(writes()).toBe(2);
});

test("a use that could not be stored is stored when the database is back", async () => {
  const { keys, state, clock } = startProcess();
  const { id, hash } = await storeKey();
  state.away = true;
  keys.noteUse(id);
  const tried = () => state.asked.includes("record the use of developer keys");
  expect(await waitFor(tried, PATIENCE_MS)).toBe(true);
  state.away = false;
  const usedAt = async () => (await findDeveloperKey(database, hash))?.lastUsedAt?.getTime();
  expect(await waitFor(async () => (await usedAt()) === clock.now, PATIENCE_MS)).toBe(true);
});

test("uses noted just before close are stored", async () => {
  const { keys, clock } = startProcess();
  const { id, hash } = await storeKey();
  keys.noteUse(id);
  await keys.close();
  expect((await findDeveloperKey(database, hash))?.lastUsedAt?.getTime()).toBe(clock.now);
});

test("unknown keys push no known key out of the cache, however many there are, and 1,000 of them are cached", async () => {
  const { keys } = startProcess();
  const { id, hash } = await storeKey();
  await keys.lookUp(hash);
  const unknown = Array.from({ length: 11_000 }, (_, index) => `unknown ${index}`);
  for (let at = 0; at < unknown.length; at += 500) await Promise.all(unknown.slice(at, at + 500).map(keys.lookUp));
  expect(keys.cached(hash)).toMatchObject({ id });
  expect(unknown.filter((each) => keys.cached(each) === null).length).toBeLessThanOrEqual(1_000);
});
