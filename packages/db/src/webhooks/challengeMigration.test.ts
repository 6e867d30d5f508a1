import { afterAll, expect, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import postgres from "postgres";
import { migrateDatabase } from "../migrateDatabase";

const TAG = "_webhook_challenges";
const { url, database } = await createTestDatabase();
const folder = await mkdtemp(join(tmpdir(), "dueday-migrations-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The migrations before the one with the challenges. */
async function earlierMigrations(): Promise<string> {
  await cp(join(import.meta.dir, "..", "..", "migrations"), folder, { recursive: true });
  const path = join(folder, "meta", "_journal.json");
  const journal: { entries: { tag: string }[] } = await Bun.file(path).json();
  const end = journal.entries.findIndex(({ tag }) => tag.endsWith(TAG));
  expect(end).toBeGreaterThan(0);
  await Bun.write(path, JSON.stringify({ ...journal, entries: journal.entries.slice(0, end) }));
  return folder;
}

test("an upgrade leaves endpoints enabled that took something in the last 30 days, and the others wait for a challenge", async () => {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await database.sql.unsafe(`create database ${name} template template0`);
  const own = Object.assign(new URL(url), { pathname: `/${name}` }).href;
  await migrateDatabase(own, await earlierMigrations());
  const sql = postgres(own, { max: 1, onnotice: () => {} });
  async function add(hook: string, daysAgo: number | null, state = "delivered"): Promise<void> {
    const id = crypto.randomUUID();
    await sql`insert into webhooks (id, chain_id, contract, subject_id, url, secret, enabled, after_seq, revision, created_at, updated_at)
      values (${id}, 1, '0x00', 's', ${hook}, '\\x00', true, 0, 0, now(), now())`;
    if (daysAgo === null) return;
    await sql`insert into webhook_deliveries (webhook_id, event_id, type, state, requested, attempts, last_attempt_at, created_at)
      values (${id}, 'evt', 'payment.paid', ${state}, false, 1, now() - ${daysAgo} * interval '1 day', now())`;
  }
  await add("https://Recent.example/hook", 29);
  await add("https://old.example:8443/hook", 31);
  await add("https://failing.example?a=b", 1, "failed");
  await add("http://[::1]:3000/", null);
  await add("https://93.184.216.34/", 2);
  for (const [key, subject] of [
    ["a", "eip155:0xab"],
    ["b", "customer-17"],
  ])
    await sql`insert into developer_keys (id, subject_id, prefix, hash, created_at)
      values (${crypto.randomUUID()}, ${subject ?? ""}, 'dueday_', ${key ?? ""}, now())`;
  await migrateDatabase(own);
  const rows =
    await sql`select host, enabled, confirmed_at is not null as confirmed, disabled_reason as reason from webhooks order by host`;
  const keys = await sql`select by_admin as "byAdmin" from developer_keys order by hash`;
  await sql.end();
  expect([...rows]).toEqual([
    { host: "93.184.216.34", enabled: true, confirmed: true, reason: null },
    { host: "::1", enabled: false, confirmed: false, reason: "challenge" },
    { host: "failing.example", enabled: false, confirmed: false, reason: "challenge" },
    { host: "old.example", enabled: false, confirmed: false, reason: "challenge" },
    { host: "recent.example", enabled: true, confirmed: true, reason: null },
  ]);
  expect([...keys]).toEqual([{ byAdmin: false }, { byAdmin: true }]);
});
