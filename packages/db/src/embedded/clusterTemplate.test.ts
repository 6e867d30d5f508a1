import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import { chmod, lstat, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import postgres from "postgres";
import { migrateDatabase } from "../migrateDatabase";
import { clusterTemplate } from "./clusterTemplate";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "./startEmbeddedPostgres";

// The template is a cluster that is made, on a machine that may be busy with other tests.
setDefaultTimeout(60_000);

const cache = await mkdtemp(join(tmpdir(), "dueday-template-"));
await chmod(cache, 0o711);
const started: EmbeddedPostgres[] = [];

afterAll(async () => {
  await Promise.all(started.map((server) => server.stop()));
  await rm(cache, { recursive: true, force: true });
});

async function start(template: string, name: string) {
  const server = await startEmbeddedPostgres({
    dataDir: join(cache, name),
    cacheDir: cache,
    template,
    temporary: true,
  });
  started.push(server);
  return server;
}

async function ask({ url }: EmbeddedPostgres, statement: string): Promise<readonly Record<string, unknown>[]> {
  const sql = postgres(url, { max: 1, onnotice: () => {} });
  try {
    return [...(await sql.unsafe(statement))];
  } finally {
    await sql.end();
  }
}

test("starts at the same time make one template; servers of it are migrated, and each has its own data", async () => {
  const [template = "", ...others] = await Promise.all([1, 2, 3].map(() => clusterTemplate(cache, new Date())));
  expect(others).toEqual([template, template]);
  expect((await readdir(cache)).filter((name) => name.startsWith("unfinished-"))).toEqual([]);

  const [first, second] = await Promise.all([start(template, "first"), start(template, "second")]);
  const applied = "select count(*)::int as migrations from drizzle.__drizzle_migrations";
  const before = await ask(first, applied);
  expect(before[0]?.migrations).toBeGreaterThan(0);
  // It has nothing to do, and finds the migrations as it would have applied them.
  await migrateDatabase(first.url);
  expect(await ask(first, applied)).toEqual(before);

  await ask(first, "create table own (value text)");
  const tables = "select to_regclass('own')::text as own, to_regclass('outbox')::text as outbox";
  expect(await ask(first, tables)).toEqual([{ own: "own", outbox: "outbox" }]);
  expect(await ask(second, tables)).toEqual([{ own: null, outbox: "outbox" }]);
});

test("templates that no start has used for 30 days are removed, but no link, no folder that others can write into, and no other file", async () => {
  const now = new Date();
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000);
  const add = async (name: string, usedAt: Date, mode = 0o711) => {
    await mkdir(join(cache, name, "cluster"), { recursive: true });
    await writeFile(join(cache, name, "cluster", "PG_VERSION"), "18");
    await chmod(join(cache, name), mode);
    await utimes(join(cache, name), usedAt, usedAt);
  };
  const elsewhere = await mkdtemp(join(tmpdir(), "dueday-elsewhere-"));
  await writeFile(join(elsewhere, "data"), "mine");
  await utimes(elsewhere, daysAgo(90), daysAgo(90));
  await symlink(elsewhere, join(cache, "cluster-18-link"));
  await add("cluster-18-old", daysAgo(31));
  await add("cluster-18-recent", daysAgo(29));
  await add("cluster-18-shared", daysAgo(90), 0o777);
  await add("postgres-18", daysAgo(90));
  // Starts at the same time find the same old one.
  const [template] = await Promise.all([1, 2, 3].map(() => clusterTemplate(cache, now)));
  const kept = ["cluster-18-link", "cluster-18-recent", "cluster-18-shared", "postgres-18"];
  const left = await readdir(cache);
  expect(left).toEqual(expect.arrayContaining(kept));
  expect(left).not.toContain("cluster-18-old");
  expect(left.filter((name) => name.startsWith("unfinished-"))).toEqual([]);
  expect(await readdir(elsewhere)).toEqual(["data"]);
  await rm(elsewhere, { recursive: true });

  // What a start uses counts as used then. File systems round times.
  const later = new Date(now.getTime() + 3_600_000);
  expect(await clusterTemplate(cache, later)).toBe(template ?? "");
  expect(Math.abs((await lstat(template ?? "")).mtimeMs - later.getTime())).toBeLessThan(1_000);
});

test("a template that is gone is an error with its path", async () => {
  const missing = join(cache, "gone");
  await expect(start(missing, "third")).rejects.toThrow(/template of the database was not copied: .*gone/);
});
