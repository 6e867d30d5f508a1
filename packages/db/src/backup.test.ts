import { expect, test } from "bun:test";
import { join } from "node:path";
import { hex } from "@dueday/db/test/smallIndex";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import type { Database } from "./connectDatabase";
import { readOutboxBounds } from "./outbox/readOutbox";
import { lockProgress } from "./reminders/lockProgress";
import { fanOutEvents } from "./webhooks/fanOutEvents";
import { createWebhook, findWebhook } from "./webhooks/storeWebhook";

const operating = await Bun.file(join(import.meta.dir, "../../../docs/operating.md")).text();
const [, tableFlags = ""] = /pg_dump --data-only ((?:-t \w+[ \\\n]*)+)/.exec(operating) ?? [];
const backedUp = [...tableFlags.matchAll(/-t (\w+)/g)].map(([, table = ""]) => table);
const [, renumber = ""] = /psql "\$DATABASE_URL" -c "(update [^"]+)"/.exec(operating) ?? [];

/** The tables whose loss is made good by itself, and how. */
const replaced = {
  "read from the chain, or derived from that": `
    block_hashes chain_identity index_checkpoints unproven_ranges
    sub_logs details_logs provider_details_logs caller_logs coordinates_logs
    subscription_terms indexed_tokens receipts keeper_fees removal_refunds remits
    subscriptions memberships activity_counters provider_profiles
    daily_money provider_days plan_days cohort_months
    snapshots snapshot_confirmations due_pages`,
  "written again for young blocks, apart from events of the plan": "outbox outbox_states",
  "looked up again": "domain_checks",
  "of a day or less": "identity_key portal_challenges portal_sessions webhook_targets",
  "would name events by numbers that are not used any more": "webhook_deliveries",
};

const [before, after] = [await createTestDatabase(), await createTestDatabase()];
const scope = { chainId: 8453, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
const NOW = new Date("2026-03-01T00:00:00Z");

test("the backup of docs/operating.md has every table that can't be made again", async () => {
  const { sql } = before.database;
  const tables = await sql<{ name: string }[]>`select tablename as name from pg_tables where schemaname = 'public'`;
  const known = [...backedUp, ...Object.values(replaced).flatMap((names) => names.trim().split(/\s+/))];
  expect(known.toSorted()).toEqual(tables.map(({ name }) => name).sort());
});

/** What `pg_dump --data-only` and `psql` do with a table. */
async function copyTable(from: Database, to: Database, table: string): Promise<void> {
  const data = await from.sql`copy ${from.sql(table)} to stdout`.readable();
  const target = await to.sql`copy ${to.sql(table)} from stdin`.writable();
  const done = Promise.withResolvers<void>();
  data.on("error", done.reject).pipe(target).on("error", done.reject).on("finish", done.resolve);
  await done.promise;
}

test("after a restore, webhooks and mails go on with the events that are written again, and no seq is used twice", async () => {
  const id = crypto.randomUUID();
  const settings = { description: null, types: null, subscriptionId: null, provider: null, subscriber: null };
  const secret = hex(9, 8);
  const url = "https://shop.example/hook";
  await createWebhook(
    before.database,
    { id, ...scope, subjectId: "shop", url, secret, ...settings },
    { maximum: 1, now: NOW },
  );
  await appendTestEvents(before.database, scope, { first: 1, count: 30 });
  await before.database.sql`update webhooks set enabled = true, after_seq = 25`;
  await before.database.sql.begin((sql) => lockProgress(sql, scope));
  await before.database.sql`update outbox_counters set announced_since = 1770000000`;
  await before.database.sql`insert into recovered_payments
    values (${scope.chainId}, ${scope.contract}, 7, 1, ${hex(1, 20)}, ${hex(2, 32)}, ${hex(7, 20)}, 20486)`;

  for (const table of backedUp) await copyTable(before.database, after.database, table);
  await after.database.sql.unsafe(renumber);

  const { database } = after;
  expect(await readOutboxBounds(database, scope)).toEqual({ oldestSeq: 1_000_031, lastSeq: 1_000_030 });
  // Blocks 11 to 40 are indexed again.
  await appendTestEvents(database, scope, { first: 11, count: 30 });
  expect(await readOutboxBounds(database, scope)).toEqual({ oldestSeq: 1_000_031, lastSeq: 1_000_060 });
  await fanOutEvents(database, scope, NOW);
  expect(await findWebhook(database, { id, subjectId: "shop" })).toMatchObject({ url, afterSeq: 1_000_060 });
  const [made] = await database.sql`select count(*)::int as count, min(seq)::int as first from webhook_deliveries`;
  expect(made).toEqual({ count: 30, first: 1_000_031 });
  const { afterSeq } = await database.sql.begin((sql) => lockProgress(sql, scope));
  expect(afterSeq).toBe(30);
  const [recovered] =
    await database.sql`select (select count(*)::int from recovered_payments) as rows, announced_since::int as since
    from outbox_counters`;
  expect(recovered).toEqual({ rows: 1, since: 1_770_000_000 });
});
