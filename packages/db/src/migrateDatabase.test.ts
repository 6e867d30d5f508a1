import { afterAll, expect, test } from "bun:test";
import { appendFile, cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import postgres from "postgres";
import { migrateDatabase } from "./migrateDatabase";

const { url, database } = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "dueday-migrations-"));

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** The URL of a database without tables. */
async function emptyDatabase(): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await database.sql.unsafe(`create database ${name} template template0`);
  return Object.assign(new URL(url), { pathname: `/${name}` }).href;
}

async function copyOfMigrations(): Promise<string> {
  const copy = await mkdtemp(join(folder, "copy-"));
  await cp(join(import.meta.dir, "..", "migrations"), copy, { recursive: true });
  return copy;
}

async function readJournal(migrations: string): Promise<{ entries: { tag: string; when: number }[] }> {
  return await Bun.file(join(migrations, "meta", "_journal.json")).json();
}

test("six processes can migrate at once: each succeeds, and each migration is applied once", async () => {
  const empty = await emptyDatabase();
  await Promise.all(Array.from({ length: 6 }, () => migrateDatabase(empty)));
  const sql = postgres(empty, { max: 1 });
  const [applied] = await sql<{ count: number }[]>`select count(*)::int as count from drizzle.__drizzle_migrations`;
  await sql.end();
  const { entries } = await readJournal(await copyOfMigrations());
  expect(applied?.count).toBe(entries.length);
});

test("a migration that was edited after it was applied is rejected by name", async () => {
  const edited = await copyOfMigrations();
  const tag = (await readJournal(edited)).entries[0]?.tag;
  await appendFile(join(edited, `${tag}.sql`), "\n-- edited");
  await expect(migrateDatabase(url, edited)).rejects.toThrow(`migration ${tag} was changed after it was applied`);
});

test("a migration older than the one before it is rejected, which drizzle would skip silently", async () => {
  const older = await copyOfMigrations();
  const journal = await readJournal(older);
  const last = journal.entries.at(-1);
  if (last === undefined) throw new Error("there is no migration");
  journal.entries.push({ ...last, tag: "late", when: last.when - 1 });
  await Bun.write(join(older, "late.sql"), "select 1");
  await Bun.write(join(older, "meta", "_journal.json"), JSON.stringify(journal));
  await expect(migrateDatabase(url, older)).rejects.toThrow("migration late is not younger than");
});

test("a database of a newer version is rejected", async () => {
  const previous = await copyOfMigrations();
  await Bun.write(join(previous, "meta", "_journal.json"), JSON.stringify({ entries: [] }));
  await expect(migrateDatabase(url, previous)).rejects.toThrow("migrated by a newer version");
});
