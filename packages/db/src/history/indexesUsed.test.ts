import { expect, test } from "bun:test";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import { fillIndex, syntheticAccount, syntheticId } from "@dueday/db/test/syntheticIndex";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import postgres from "postgres";
import { numberToHex } from "viem";
import type { Database } from "../connectDatabase";
import { listRemits } from "./listRemits";
import { readCohorts } from "./readCohorts";
import { readAccountEvents, readSubscriptionEvents } from "./readEvents";
import { readMetrics } from "./readMetrics";
import { readMoney } from "./readMoney";
import { readPayments } from "./readPayments";
import { searchSubscriptions } from "./searchSubscriptions";

const { database, url } = await createTestDatabase();
const scope = { chainId: 1, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
await fillIndex(database, scope, { logs: 40_000, subscriptions: 8_000, providers: 50, subscribers: 500 });

/** Removed subscribers that got something back. */
await database.sql`
  insert into removal_refunds select 1, ${scope.contract}, n, 0, 1 from generate_series(1, 20000) n`;

/** The Coordinates of charges. */
await database.sql`
  insert into coordinates_logs (chain_id, contract, block_number, log_index, block_hash, transaction_hash, subscription_id,
    subscriber_index, subscription_index, frequency, next_unchecked_day)
  select chain_id, contract, block_number, log_index, block_hash, transaction_hash, subscription_id, 0, 0, 1, 20000
  from sub_logs where code = 5`;

/** A remit() in each of 20,000 blocks, by 50 keepers, and charges of 500 providers on 40 days. */
await database.sql`
  insert into remits select 1, ${scope.contract}, n, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'), 1700000000 + n * 60,
    decode(lpad(to_hex(n % 50), 40, '0'), 'hex'), array[n], 1, 0, 60 from generate_series(1, 20000) n`;
await database.sql`
  insert into receipts select chain_id, contract, block_number, transaction_hash, 1, 1 from remits`;
await database.sql`
  insert into keeper_fees select chain_id, contract, block_number, transaction_hash, decode(lpad('07', 40, '0'), 'hex'), 1 from remits`;
await database.sql`
  insert into daily_money select 1, ${scope.contract}, decode(lpad(to_hex(n % 500), 40, '0'), 'hex'), n % 2, 30000 + n / 500,
    decode(lpad('07', 40, '0'), 'hex'), 1, 0, 0, 1, 0 from generate_series(1, 20000) n`;
/** 8,000 subscriptions of 50 providers, each on 10 days and in 3 months, and charges that passed after all. */
await database.sql`
  insert into plan_days (chain_id, contract, provider, subscription_id, day, joined, charges, charged, net)
  select 1, ${scope.contract}, provider, id, 30000 + n, 1, 1, 1, 1 from subscriptions, generate_series(1, 10) n`;
await database.sql`
  insert into provider_days (chain_id, contract, provider, token, day, joined, charges, charged, net)
  select distinct 1, ${scope.contract}, provider, token, 30000 + n, 1, 1, 1, 1 from subscriptions, generate_series(1, 200) n`;
await database.sql`
  insert into cohort_months (chain_id, contract, provider, token, cohort, month, joined, active_change, charges, charged)
  select distinct 1, ${scope.contract}, provider, token, 24000, 24000 + n, 1, 1, 1, 1 from subscriptions, generate_series(1, 200) n`;
await database.sql`
  insert into recovered_payments select 1, ${scope.contract}, n, 0, decode(lpad(to_hex(n % 500), 40, '0'), 'hex'),
    decode(lpad(to_hex(n), 64, '0'), 'hex'), decode(lpad('07', 40, '0'), 'hex'), 30000 + n / 500 from generate_series(1, 20000) n`;
await database.sql`
  insert into outbox_counters values (1, ${scope.contract}, 0, 0, 1) on conflict (chain_id, contract) do update set announced_since = 1`;
await database.sql`analyze coordinates_logs, remits, receipts, keeper_fees, daily_money, removal_refunds, provider_days, plan_days, cohort_months, recovered_payments`;

type Statement = { query: string; parameters: unknown[] };
type PlanNode = { "Node Type": string; "Relation Name"?: string; "Index Name"?: string; Plans?: PlanNode[] };

/** The statements that the work sent to the database. */
async function statementsOf(work: (database: Database) => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  const sql = postgres(url, {
    max: 1,
    debug: (_connection, query, parameters) => void statements.push({ query, parameters }),
  });
  await work({ ...database, sql });
  await sql.end();
  return statements.filter(({ query }) =>
    /from \(?(select \* from )?(sub_logs|subscriptions)|sub_logs|daily_money|remits|provider_days|plan_days|cohort_months|recovered_payments/.test(
      query,
    ),
  );
}

async function explain({ query, parameters }: Statement): Promise<PlanNode[]> {
  // The parameters come from the driver itself, so they fit the statement.
  const rows = await database.sql.unsafe(`explain (format json) ${query}`, parameters as never[]);
  const plan: PlanNode = rows[0]?.["QUERY PLAN"][0].Plan;
  const flatten = (node: PlanNode): PlanNode[] => [node, ...(node.Plans ?? []).flatMap(flatten)];
  return flatten(plan);
}

const page = { first: 200, skip: 5_000, atBlock: null };
const reads: [string, (database: Database) => Promise<unknown>][] = [
  ["history of a subscription", (db) => readSubscriptionEvents(db, scope, syntheticId(0), page)],
  ["activity of a provider", (db) => readAccountEvents(db, scope, syntheticAccount("provider", 0), page)],
  ["activity of a subscriber", (db) => readAccountEvents(db, scope, syntheticAccount("subscriber", 3), page)],
  ["search", (db) => searchSubscriptions(db, scope, { cancelled: false }, { ...page, first: 25 })],
  [
    "search by provider",
    (db) => searchSubscriptions(db, scope, { cancelled: false, provider: syntheticAccount("provider", 1) }, page),
  ],
];

test.each(reads)("%s: events are found by an index, never by a sequential scan", async (_, read) => {
  const statements = await statementsOf(read);
  expect(statements.length).toBeGreaterThan(0);
  const nodes = (await Promise.all(statements.map(explain))).flat();
  const ofLogs = nodes.filter((node) => node["Relation Name"] === "sub_logs");
  expect(ofLogs.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
  expect(nodes.some((node) => node["Index Name"] !== undefined)).toBe(true);
});

test("events of a code that is not a payment are found by the index of those codes, and an account's are not counted", async () => {
  const failures = { code: subLogCode.Failed };
  const reads: [string, (db: Database) => Promise<unknown>][] = [
    [
      "sub_logs_rare_by_provider",
      (db) => readAccountEvents(db, scope, syntheticAccount("provider", 0), page, failures),
    ],
    ["sub_logs_rare_by_subscription", (db) => readSubscriptionEvents(db, scope, syntheticId(0), page, failures)],
  ];
  for (const [name, read] of reads) {
    const nodes = (await Promise.all((await statementsOf(read)).map(explain))).flat();
    expect(nodes.map((node) => node["Index Name"])).toContain(name);
  }
  const [, read] = reads[0] ?? [];
  const statements = read === undefined ? [] : await statementsOf(read);
  expect(statements.filter(({ query }) => /count\(\*\)/.test(query))).toEqual([]);
});

test("a search by provider reads only that provider's subscriptions", async () => {
  const read = reads[4]?.[1];
  const nodes = read === undefined ? [] : (await Promise.all((await statementsOf(read)).map(explain))).flat();
  const ofSubscriptions = nodes.filter((node) =>
    /subscriptions/.test(node["Relation Name"] ?? node["Index Name"] ?? ""),
  );
  expect(ofSubscriptions.filter((node) => node["Node Type"] === "Seq Scan")).toEqual([]);
});

const someone = numberToHex(7, { size: 20 });
const seller = syntheticAccount("provider", 3);
const periods = () => [{ start: 30_000, end: 30_030 }];
const ofPage = { days: () => ({ start: 0, end: 30_030 }), first: 200 };
const months = { from: 24_000, to: 24_010 };
const ofMoney: [string, (database: Database) => Promise<unknown>][] = [
  ["income", (db) => readMoney(db, scope, { account: someone, role: "provider", periods })],
  [
    "spending in one token",
    (db) => readMoney(db, scope, { account: someone, role: "subscriber", token: someone, periods }),
  ],
  [
    "payments of a provider",
    (db) =>
      readPayments(db, scope, {
        account: someone,
        side: "provider",
        days: () => ({ start: 0, end: 30_030 }),
        first: 50,
      }),
  ],
  [
    "payments of a subscription on some days",
    (db) =>
      readPayments(db, scope, {
        account: seller,
        side: "provider",
        subscription: syntheticId(3),
        days: () => ({ start: 19_675, end: 19_676 }),
        first: 50,
      }),
  ],
  [
    "payments of a provider in one token",
    (db) =>
      readPayments(db, scope, {
        account: seller,
        side: "provider",
        token: someone,
        days: () => ({ start: 0, end: 30_030 }),
        first: 50,
      }),
  ],
  [
    "both sides of an account, after a cursor",
    (db) =>
      readPayments(db, scope, {
        account: someone,
        side: "both",
        days: () => ({ start: 0, end: 30_030 }),
        first: 50,
        after: { blockNumber: 9_000, logIndex: 0 },
      }),
  ],
  [
    "payments of a plan with many in each block",
    (db) =>
      readPayments(db, scope, {
        ...ofPage,
        account: syntheticAccount("provider", 0),
        side: "provider",
        subscription: syntheticId(0),
      }),
  ],
  [
    "payments of a subscriber with few in each block",
    (db) => readPayments(db, scope, { ...ofPage, account: syntheticAccount("subscriber", 3), side: "both" }),
  ],
  ["metrics of a provider", (db) => readMetrics(db, scope, { provider: seller, periods })],
  [
    "metrics of a subscription in one token",
    (db) => readMetrics(db, scope, { provider: seller, token: someone, subscription: syntheticId(3), periods }),
  ],
  ["cohorts of a provider", (db) => readCohorts(db, scope, { provider: seller, months: () => months })],
  [
    "remits after a cursor",
    (db) => listRemits(db, scope, {}, { first: 50, after: { blockNumber: 9_000, logIndex: 0 } }),
  ],
  ["remits of a keeper", (db) => listRemits(db, scope, { keeper: someone }, { first: 50 })],
  [
    "remits of some days",
    (db) => listRemits(db, scope, { fromTimestamp: 1_700_100_000, toTimestamp: 1_700_200_000 }, { first: 50 }),
  ],
];

test.each(ofMoney)("%s: rows are found by an index, never by a sequential scan", async (_, read) => {
  const statements = await statementsOf(read);
  expect(statements.length).toBeGreaterThan(0);
  const nodes = (await Promise.all(statements.map(explain))).flat();
  const scanned = nodes.filter((node) => node["Node Type"] === "Seq Scan").map((node) => node["Relation Name"]);
  // Its few rows are read at once.
  expect(scanned.filter((table) => table !== "indexed_tokens")).toEqual([]);
});
