import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { subLogCode } from "@dueday/core/events/subLogEvents";
import type { Database } from "@dueday/db/connectDatabase";
import type { ContractScope } from "@dueday/db/schema/columns";
import { fillIndex, syntheticAccount, syntheticId } from "@dueday/db/test/syntheticIndex";

export type LargeIndex = {
  events: number;
  members: number;
  providers: number;
  subscribers: number;
  /** The first and the last block of the history. */
  from: number;
  to: number;
};

/** A charge is a Coordinates, a SUBPAID and a PROVPAID. One in 50 fails: it is a Coordinates and a FAILED. A third of the members leave. */
const [FAILING, LEAVING] = [50, 3];
/** Averages: charges of a member (one a month), and events of a member. */
const [CHARGES, EVENTS_OF_A_MEMBER] = [15, 46];
const [MONTHS, MONTH_DAYS, ITEMS_OF_A_BLOCK] = [36, 30, 20];
const [START, FIRST_BLOCK] = [1_700_006_400, 1_000];
const SECONDARY = [
  "sub_logs_by_subscription",
  "sub_logs_by_provider",
  "sub_logs_by_subscriber",
  "coordinates_logs_by_day",
];

/**
 * Writes the logs of three years of monthly charges, about `events` in all, and the plans that they belong to. Plans and subscribers differ in size by a
 * power law: the largest plan has a tenth of the members. The caller fills the derived tables by `rebuildDerived`.
 */
export async function fillLargeIndex(database: Database, scope: ContractScope, events: number): Promise<LargeIndex> {
  const { sql } = database;
  const { chainId, contract } = scope;
  const members = Math.round(events / EVENTS_OF_A_MEMBER);
  const plans = Math.max(100, Math.round(members / 20));
  const providers = Math.round(plans / 5);
  const subscribers = Math.round(members / 3);
  // Creates the checkpoint and the token of an index. Its logs are replaced below.
  await fillIndex(database, scope, { logs: 50, subscriptions: 1, providers: 1, subscribers: 1 });
  for (const table of ["sub_logs", "subscription_terms"]) await sql`delete from ${sql(table)}`;
  await nameRows(database, "plans", plans, syntheticId);
  await nameRows(database, "providers", providers, (index) => syntheticAccount("provider", index));
  await nameRows(database, "subscribers", subscribers, (index) => syntheticAccount("subscriber", index));

  await sql.unsafe(`create unlogged table members as
    select n, least(${plans} * power(${draw(1)}, 4), ${plans} - 1)::int as plan,
      least(${subscribers} * power(${draw(2)}, 2), ${subscribers} - 1)::int as subscriber, start_month,
      least(${2 * CHARGES} * ${draw(3)}, ${MONTHS} - 1 - start_month)::int as charges, (${MONTH_DAYS - 1} * ${draw(4)})::int as day
    from (select n, (${MONTHS / 2} * ${draw(5)})::int as start_month from generate_series(0, ${members - 1}) n) drawn`);
  // Kinds: 0 a plan is created, 1 a member joins, 2 is charged, 3 a charge fails, 4 leaves.
  await sql.unsafe(`create unlogged table items as
    select row_number() over (order by timestamp, kind, n) - 1 as place, kind, plan, subscriber, timestamp from (
      select 0 as kind, n, n as plan, null::int as subscriber, ${START}::bigint as timestamp from generate_series(0, ${plans - 1}) n
      union all select 1, n, plan, subscriber, ${at("start_month")} from members
      union all select case when (n + month) % ${FAILING} = 0 then 3 else 2 end, n, plan, subscriber, ${at("start_month + month")}
        from members, generate_series(1, charges) month
      union all select 4, n, plan, subscriber, ${at("start_month + charges + 1")} from members where n % ${LEAVING} = 0
    ) found`);
  const definitions = await dropIndexes(database, SECONDARY);
  const place = `${FIRST_BLOCK} + i.place / ${ITEMS_OF_A_BLOCK}`;
  const position = (
    part: string,
  ) => `${chainId}::bigint, '${contract}', ${place}, (i.place % ${ITEMS_OF_A_BLOCK} * 3 + ${part})::int,
    sha256(int8send(${place})), sha256(int8send(i.place))`;
  const { Create, Subscribed, SubscriberPaid, ProviderPaid, Failed, Unsubscribed, SubscriberRefund } = subLogCode;
  await sql.unsafe(`insert into sub_logs (chain_id, contract, block_number, log_index, block_hash, transaction_hash, subscription_id, provider,
      subscriber, token, timestamp, amount, code)
    select ${position("c.part")}, p.name, o.name, coalesce(s.name, decode(repeat('00', 20), 'hex')), decode(lpad('07', 40, '0'), 'hex'), i.timestamp,
      (5 + i.plan % 45) * 10::numeric ^ 18, c.code
    from items i
    join (values (0, 0, ${Create}), (1, 0, ${Subscribed}), (2, 1, ${SubscriberPaid}), (2, 2, ${ProviderPaid}), (3, 1, ${Failed}),
      (4, 0, ${Unsubscribed}), (4, 1, ${SubscriberRefund})) c (kind, part, code) using (kind)
    join plans p on p.n = i.plan join providers o on o.n = i.plan % ${providers} left join subscribers s on s.n = i.subscriber
    order by i.place, c.part`);
  await sql.unsafe(`insert into coordinates_logs (chain_id, contract, block_number, log_index, block_hash, transaction_hash, subscription_id,
      subscriber_index, subscription_index, frequency, next_unchecked_day)
    select ${position("0")}, p.name, 0, 0, 1, i.timestamp / ${DAY_SECONDS} from items i join plans p on p.n = i.plan where i.kind in (2, 3) order by i.place`);
  for (const definition of definitions) await sql.unsafe(definition);
  await sql.unsafe(`insert into subscription_terms (chain_id, contract, id, created_block, frequency, due_day)
    select ${chainId}::bigint, '${contract}', p.name, ${place}, 1, 1 + i.plan % 28 from items i join plans p on p.n = i.plan where i.kind = 0`);
  const [last] = await sql<{ block: number; timestamp: number }[]>`
    select max(block_number)::float8 as block, max(timestamp)::float8 as timestamp from sub_logs`;
  if (last === undefined) throw new Error("the query for the last block returned no row");
  await sql`update index_checkpoints set number = ${last.block}, head_number = ${last.block}, timestamp = ${last.timestamp}`;
  await sql`drop table members, items, plans, providers, subscribers`;
  await sql`vacuum analyze sub_logs, coordinates_logs, subscription_terms`;
  const [count] = await sql<{ events: number }[]>`
    select ((select count(*) from sub_logs) + (select count(*) from coordinates_logs))::float8 as events`;
  return { events: count?.events ?? 0, members, providers, subscribers, from: FIRST_BLOCK, to: last.block };
}

/** SQL of a number from 0 to 1 that `n` and `salt` determine. */
function draw(salt: number): string {
  return `((hashint8extended(n, ${salt}) & 1048575) / 1048576.0)`;
}

function at(month: string): string {
  return `(${START} + (${MONTH_DAYS} * (${month}) + day) * ${DAY_SECONDS} + n % ${DAY_SECONDS / 4})::bigint`;
}

/** Creates a table that maps a number `n` to a name: the id of a plan, or an account's address. */
async function nameRows({ sql }: Database, table: string, count: number, nameOf: (index: number) => string) {
  const names = Array.from({ length: count }, (_, index) => nameOf(index).slice(2));
  await sql`create unlogged table ${sql(table)} as
    select (n - 1)::int as n, decode(hex, 'hex') as name from unnest(${names}::text[]) with ordinality as t(hex, n)`;
}

/** Drops indexes, and returns the statements that create them: creating an index is faster after the rows are inserted. */
async function dropIndexes({ sql }: Database, names: readonly string[]): Promise<string[]> {
  const rows = await sql<{ name: string; definition: string }[]>`
    select indexname as name, indexdef as definition from pg_indexes where indexname in ${sql([...names])}`;
  for (const { name } of rows) await sql`drop index ${sql(name)}`;
  return rows.map(({ definition }) => definition);
}
