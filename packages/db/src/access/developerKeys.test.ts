import { expect, test } from "bun:test";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { sql } from "drizzle-orm";
import { adminAudit } from "../schema/access";
import { createDeveloperKey } from "./createDeveloperKey";
import { findDeveloperKey } from "./findDeveloperKey";
import { listDeveloperKeys } from "./listDeveloperKeys";
import { readRevokedKeys } from "./readRevokedKeys";
import { revokeDeveloperKey } from "./revokeDeveloperKey";
import { touchDeveloperKeys } from "./touchDeveloperKeys";

const { database } = await createTestDatabase();

const actorAt = (seconds: number) => ({
  at: new Date(1_800_000_000_000 + seconds * 1000),
  requestId: crypto.randomUUID(),
  client: "hashed",
});
const actor = actorAt(0);

function newKey(subjectId: string) {
  return { id: crypto.randomUUID(), subjectId, label: null, prefix: "dueday_abcde", hash: crypto.randomUUID() };
}

async function store(subjectId: string, by = actor) {
  const key = newKey(subjectId);
  expect(await createDeveloperKey(database, key, 5, by)).toBe(true);
  return key;
}

test("simultaneous creations never exceed the maximum number of active keys of a subject", async () => {
  const attempts = Array.from({ length: 12 }, () => createDeveloperKey(database, newKey("racer"), 5, actor));
  const stored = await Promise.all(attempts);
  expect(stored.filter(Boolean)).toHaveLength(5);
  const { total } = await listDeveloperKeys(database, { subjectId: "racer", first: 50, skip: 0 }, actor);
  expect(total).toBe(5);
});

test("a revoked key makes room for another, is no longer found, and stays in the list", async () => {
  const [key] = [await store("replacing")];
  expect(await createDeveloperKey(database, newKey("replacing"), 1, actor)).toBe(false);
  expect(await findDeveloperKey(database, key.hash)).toEqual({
    id: key.id,
    subjectId: "replacing",
    byAdmin: true,
    lastUsedAt: null,
  });
  const revokedAt = await revokeDeveloperKey(database, key.id, actor);
  expect(revokedAt).toBeInstanceOf(Date);
  expect(await findDeveloperKey(database, key.hash)).toBeNull();
  expect(await createDeveloperKey(database, newKey("replacing"), 1, actorAt(1))).toBe(true);
  const { keys } = await listDeveloperKeys(database, { subjectId: "replacing", first: 50, skip: 0 }, actor);
  expect(keys.map((listed) => listed.revokedAt)).toEqual([null, revokedAt]);
});

test("revoking again returns the first time, revoking an unknown key returns null", async () => {
  const { id } = await store("twice");
  const revokedAt = await revokeDeveloperKey(database, id, actor);
  expect(await revokeDeveloperKey(database, id, actorAt(99))).toEqual(revokedAt);
  expect(await revokeDeveloperKey(database, crypto.randomUUID(), actor)).toBeNull();
  expect(await readRevokedKeys(database)).toContain(id);
});

test("pages of a subject's keys contain each key once, newest first, and no key of another subject", async () => {
  const stored = [];
  for (let index = 0; index < 5; index += 1) stored.push(await store("pager", actorAt(index)));
  await store("other");
  const ids = [];
  for (const skip of [0, 2, 4]) {
    const page = await listDeveloperKeys(database, { subjectId: "pager", first: 2, skip }, actor);
    expect(page.total).toBe(5);
    ids.push(...page.keys.map(({ id }) => id));
  }
  expect(ids).toEqual(stored.map(({ id }) => id).reverse());
});

test("the last use of a key is written at most once a minute", async () => {
  const { id, hash } = await store("user");
  const usedAt = async () => (await findDeveloperKey(database, hash))?.lastUsedAt;
  await touchDeveloperKeys(database, new Map([[id, actorAt(0).at]]));
  await touchDeveloperKeys(database, new Map([[id, actorAt(59).at]]));
  expect(await usedAt()).toEqual(actorAt(0).at);
  await touchDeveloperKeys(database, new Map([[id, actorAt(60).at]]));
  expect(await usedAt()).toEqual(actorAt(60).at);
});

test("each admin action leaves an audit row, except a creation that exceeded the maximum", async () => {
  const by = { ...actor, client: "auditor" };
  const key = await store("audited", by);
  await createDeveloperKey(database, newKey("audited"), 1, by);
  await listDeveloperKeys(database, { subjectId: "audited", first: 1, skip: 0 }, by);
  await revokeDeveloperKey(database, key.id, by);
  const rows = await database.db.select().from(adminAudit).where(sql`client = 'auditor'`).orderBy(adminAudit.id);
  const facts = { keyId: key.id, subjectId: "audited", requestId: by.requestId, at: by.at };
  expect(rows).toMatchObject([
    { ...facts, action: "create_key" },
    { ...facts, action: "list_keys", keyId: null },
    { ...facts, action: "revoke_key" },
  ]);
});
