import { connectDatabase } from "@dueday/db/connectDatabase";
import { readCohorts } from "@dueday/db/history/readCohorts";
import { readMetrics } from "@dueday/db/history/readMetrics";
import { readMoney } from "@dueday/db/history/readMoney";
import { readPayments } from "@dueday/db/history/readPayments";
import { rebuildDerived } from "@dueday/db/indexing/rebuildDerived";
import { fillIndex, syntheticAccount, syntheticId } from "@dueday/db/test/syntheticIndex";
import { numberToHex } from "viem";
import { startBenchDatabase } from "./support/benchDatabase";
import { quantile } from "./support/quantile";
import { timeRounds } from "./support/timeRounds";

/**
 * How long income, spending, metrics, cohorts and payments take: `bun bench/money.ts [events] [rounds]`. First on an index of 1,000 providers,
 * then on one whose events are all of one provider, then on a million rows of sums, which is 1,000 providers with charges on 1,000 days, and
 * then on a million charges of one provider.
 */
const LOGS = Number(process.argv[2] ?? 200_000);
const ROUNDS = Number(process.argv[3] ?? 1_000);
const DAYS = 1_000;
const THREE_YEARS = 1_095;

const server = await startBenchDatabase();
const database = connectDatabase({ url: server.url, deadlineMs: 300_000 });
const many = { chainId: 1, contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f" };
const one = { ...many, chainId: 2 };
const sums = { ...many, chainId: 3 };

const seconds = (from: number) => ((performance.now() - from) / 1_000).toFixed(1);
for (const [scope, providers] of [[many, 1_000] as const, [one, 1] as const]) {
  const started = performance.now();
  await fillIndex(database, scope, { logs: LOGS, subscriptions: LOGS / 50, providers, subscribers: 5_000 });
  console.log(`${LOGS} events of ${providers} providers stored in ${seconds(started)} s`);
}
const rebuilt = performance.now();
await rebuildDerived(database, one);
console.log(`rebuilt in ${seconds(rebuilt)} s`);
await fillIndex(database, sums, { logs: 50, subscriptions: 1, providers: 1, subscribers: 1 });
await database.sql`insert into daily_money
  select 3, ${sums.contract}, decode(lpad(to_hex(account), 40, '0'), 'hex'), 0, 19000 + day, decode(lpad('07', 40, '0'), 'hex'),
    1000000, 0, 5, 3, 1 from generate_series(1, 1000) account, generate_series(1, ${DAYS}) day`;
await database.sql`vacuum analyze daily_money`;

/** Providers of 20 and of 100 plans, whose members join, pay and leave during three years: a million charges for each provider. */
const sellers = [20, 100].map((plans, index) => ({ plans, scope: { ...many, chainId: 4 + index } }));
for (const { plans, scope } of sellers) {
  await fillIndex(database, scope, { logs: plans * 50, subscriptions: plans, providers: 1, subscribers: 50 });
  const charges = Math.round(1_000_000 / plans / THREE_YEARS);
  const days = database.sql`18900 + day, 2, 0, day % 2, 0, 0, ${charges}::bigint, 0, ${charges}::bigint * 1000000, ${charges}::bigint * 999999`;
  for (const table of ["provider_days", "plan_days", "cohort_months"])
    await database.sql`delete from ${database.sql(table)} where chain_id = ${scope.chainId}`;
  await database.sql`insert into plan_days select ${scope.chainId}::bigint, ${scope.contract}, provider, id, ${days}
    from subscriptions, generate_series(1, ${THREE_YEARS}::int) day where chain_id = ${scope.chainId}`;
  await database.sql`insert into provider_days
    select distinct ${scope.chainId}::bigint, ${scope.contract}, provider, token, ${days}, 1000000, 0, 500000, 0, 0
    from subscriptions, generate_series(1, ${THREE_YEARS}::int) day where chain_id = ${scope.chainId}`;
  await database.sql`insert into cohort_months
    select distinct ${scope.chainId}::bigint, ${scope.contract}, provider, token, 24250 - c, 24250 - m, 60, -1, 60, 60000000
    from subscriptions, generate_series(0, 35) c, generate_series(0, 35) m where chain_id = ${scope.chainId} and m <= c`;
}
await database.sql`vacuum analyze provider_days, plan_days, cohort_months`;

/**
 * A provider of 100 plans with 5,000 members and a million charges, spread evenly over three years and the members. They are stored as logs: each
 * charge is a Coordinates, a SUBPAID and a PROVPAID. The last plan has no charges in the last two years.
 */
const CHARGES = 1_000_000;
const MEMBERS = 5_000;
const charged = { ...many, chainId: 6 };
const lastPlan = syntheticId(99);
await fillIndex(database, charged, { logs: 5_000, subscriptions: 100, providers: 1, subscribers: 50 });
const seeded = performance.now();
await database.sql`create temporary table members as select n - 1 as n, decode(substr(hex, 3), 'hex') as subscriber
  from unnest(${Array.from({ length: MEMBERS }, (_, index) => syntheticAccount("subscriber", index))}::text[]) with ordinality as t(hex, n)`;
await database.sql`create temporary table plans as select n - 1 as n, decode(substr(hex, 3), 'hex') as id
  from unnest(${Array.from({ length: 100 }, (_, index) => syntheticId(index))}::text[]) with ordinality as t(hex, n)`;
const chargeAt = database.sql`select n, 1000 + n / 50 as block, n % 50 * 3 as log_index, 1700000000 + n::bigint * ${THREE_YEARS * 86_400} / ${CHARGES} as timestamp
  from generate_series(0, ${CHARGES - 1}::int) n`;
await database.sql`
  insert into sub_logs (chain_id, contract, block_number, log_index, block_hash, transaction_hash, subscription_id, provider,
    subscriber, token, timestamp, amount, code)
  select ${charged.chainId}::bigint, ${charged.contract}, block, log_index + part, decode(lpad(to_hex(block), 64, '0'), 'hex'),
    decode(lpad(to_hex(c.n / 50), 64, '0'), 'hex'), p.id, ${Buffer.from(syntheticAccount("provider", 0).slice(2), "hex")}, m.subscriber,
    decode(lpad('07', 40, '0'), 'hex'), timestamp, 10::numeric ^ 19, case part when 1 then 5 else 2 end
  from (${chargeAt}) c
  join plans p on p.n = case when c.n > ${Math.floor(CHARGES / 3)} then c.n % 99 else c.n % 100 end
  join members m on m.n = c.n % ${MEMBERS}
  cross join generate_series(1, 2) part`;
await database.sql`
  insert into coordinates_logs (chain_id, contract, block_number, log_index, block_hash, transaction_hash, subscription_id,
    subscriber_index, subscription_index, frequency, next_unchecked_day)
  select chain_id, contract, block_number, log_index - 1, block_hash, transaction_hash, subscription_id, 0, 0, 1, timestamp / 86400
  from sub_logs where chain_id = ${charged.chainId} and code = 5 and block_number >= 1000`;
await database.sql`delete from daily_money where chain_id = ${charged.chainId}`;
for (const [role, account] of [
  [0, "provider"],
  [1, "subscriber"],
] as const)
  await database.sql`
    insert into daily_money (chain_id, contract, account, role, day, token, paid, failed, refunded, charges, failures)
    select chain_id, contract, ${database.sql(account)}, ${role}::int, timestamp / 86400, token, div(sum(amount), (10::numeric ^ 12)::numeric), 0, 0, count(*), 0
    from sub_logs where chain_id = ${charged.chainId} and code = 5 group by 1, 2, 3, 5, 6`;
await database.sql`
  update index_checkpoints set (number, head_number, timestamp) = (
    select max(block_number), max(block_number), max(timestamp) from sub_logs where chain_id = ${charged.chainId})
  where chain_id = ${charged.chainId}`;
await database.sql`vacuum analyze sub_logs, coordinates_logs, daily_money`;
console.log(`${CHARGES} charges of one provider stored in ${seconds(seeded)} s`);

const byDay = () => Array.from({ length: 400 }, (_, index) => ({ start: 19_500 + index, end: 19_500 + index }));
const whole = () => [{ start: 0, end: 40_000 }];
const byMonth = () =>
  Array.from({ length: 12 }, (_, index) => ({ start: 19_600 + index * 30, end: 19_629 + index * 30 }));
const seller = syntheticAccount("provider", 0);
const ofSeller = { account: seller };
const paged = { ...ofSeller, side: "provider", first: 200 } as const;
const everyDay = () => ({ start: 0, end: 40_000 });
const reads: [string, (round: number) => Promise<unknown>][] = [
  ["select 1", () => database.sql`select 1`],
  [
    "income, 1,000 providers",
    (round) =>
      readMoney(database, many, { account: syntheticAccount("provider", round), role: "provider", periods: whole }),
  ],
  [
    "spending, 5,000 subscribers",
    (round) =>
      readMoney(database, many, { account: syntheticAccount("subscriber", round), role: "subscriber", periods: whole }),
  ],
  [
    "income, every event of one provider",
    () => readMoney(database, one, { account: syntheticAccount("provider", 0), role: "provider", periods: whole }),
  ],
  [
    "income, 400 days of a million sums",
    (round) =>
      readMoney(database, sums, {
        account: numberToHex(1 + (round % 1_000), { size: 20 }),
        role: "provider",
        periods: byDay,
      }),
  ],
  ...sellers.flatMap(({ plans, scope }): typeof reads => [
    [
      `metrics by month, a million charges, ${plans} plans`,
      () => readMetrics(database, scope, { provider: seller, periods: byMonth }),
    ],
    [
      `metrics by day, a million charges, ${plans} plans`,
      () => readMetrics(database, scope, { provider: seller, periods: byDay }),
    ],
    [
      `metrics of one plan by day, a million charges, ${plans} plans`,
      () => readMetrics(database, scope, { provider: seller, subscription: syntheticId(3), periods: byDay }),
    ],
    [
      `cohorts of three years, a million charges, ${plans} plans`,
      () => readCohorts(database, scope, { provider: seller, months: () => ({ from: 24_200, to: 24_250 }) }),
    ],
  ]),
  [
    "income by month, a million charges",
    () => readMoney(database, charged, { ...ofSeller, role: "provider", periods: byMonth }),
  ],
  ["payments, newest of a million", () => readPayments(database, charged, { ...paged, days: everyDay })],
  [
    "payments, page by page to the end of a million",
    (round) =>
      readPayments(database, charged, {
        ...paged,
        days: everyDay,
        after: { blockNumber: 1_000 + Math.round(((round % 100) * CHARGES) / 5_000), logIndex: 0 },
      }),
  ],
  [
    "payments, a quarter of the first of three years",
    () => readPayments(database, charged, { ...paged, days: () => ({ start: 19_700, end: 19_790 }) }),
  ],
  [
    "payments of one plan, whose last was two years ago",
    () => readPayments(database, charged, { ...paged, days: everyDay, subscription: lastPlan }),
  ],
  [
    "payments of a token without payments",
    () => readPayments(database, charged, { ...paged, days: everyDay, token: numberToHex(8, { size: 20 }) }),
  ],
  [
    "statement of a month, of the provider",
    () => readPayments(database, charged, { ...paged, side: "both", days: () => ({ start: 20_700, end: 20_730 }) }),
  ],
  [
    "statement of a month two years ago, of the provider",
    () => readPayments(database, charged, { ...paged, side: "both", days: () => ({ start: 19_900, end: 19_930 }) }),
  ],
  [
    "statement of all days, of a subscriber",
    (round) =>
      readPayments(database, charged, {
        ...paged,
        account: syntheticAccount("subscriber", round % MEMBERS),
        side: "both",
        days: everyDay,
      }),
  ],
];
for (const [name, read] of reads) {
  const times = await timeRounds(ROUNDS, read);
  const at = (share: number) => quantile(times, share).toFixed(2).padStart(7);
  console.log(`  ${name.padEnd(60)} p50 ${at(0.5)} ms  p99 ${at(0.99)} ms`);
}
await database.close();
await server.stop();
