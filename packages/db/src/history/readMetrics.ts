import { DAY_SECONDS, dayNumber } from "@dueday/core/calendar/dayNumber";
import type { Period } from "@dueday/core/calendar/periods";
import { cleanText } from "@dueday/core/text/cleanText";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { IndexScope } from "../eventIndex/coveredHead";
import { monthlyTwelfths } from "../eventIndex/monthlyTwelfths";
import { type IndexAnswer, type NoState, readCompleteIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** How memberships begin and end. `joined`: for the first time. */
export type Movement = "joined" | "reactivated" | "left" | "failed" | "removed";

/** The figures of one period in one token. Amounts are in token units, recurring revenue in twelfths of them. */
export type PeriodMetrics = {
  period: Period;
  token: Hex;
  tokenSymbol: string;
  tokenDecimals: number;
  activeStart: number;
  counts: Record<Movement, number>;
  activeEnd: number;
  mrrStart: bigint;
  mrr: Record<Movement, bigint>;
  mrrEnd: bigint;
  /** The full amounts of the charges, with the parts that go to fee balances. */
  charged: bigint;
  /** What the provider received by charges and by fee balances. */
  net: bigint;
  failures: number;
  /** Charges that passed although they had been announced as failing; null for a period before these were recorded. */
  recovered: number | null;
};

export type MetricsQuery = {
  provider: Hex;
  token?: Hex | undefined;
  subscription?: Hex | undefined;
  /**
   * The periods, oldest first and without gaps, for an index whose newest block is of the day `today`; null where the
   * requested periods are not valid.
   */
  periods: (today: number) => readonly Period[] | null;
};

/**
 * By period, oldest first, then by token; a token is left out of a period in which it has no membership, movement or
 * money. `periods` is what the query's `periods` returned.
 */
export type MetricsPage = { periods: readonly Period[]; metrics: PeriodMetrics[] };

/** Memberships, recurring revenue and money of a provider by period and token. `value` is null where the query's `periods` returns null. */
export async function readMetrics(
  database: Database,
  scope: IndexScope,
  { periods: periodsAt, ...query }: MetricsQuery,
): Promise<IndexAnswer<MetricsPage | null> | NoState> {
  return readCompleteIndex(database, scope, async (sql, { latest }) => {
    const periods = periodsAt(dayNumber(latest.timestamp));
    if (periods === null || periods.length === 0) return null;
    const rows = await readSums(sql, scope, { ...query, periods });
    const recovered = await readRecovered(sql, scope, { ...query, periods });
    return { periods, metrics: toMetrics(rows, periods, recovered) };
  });
}

type Query = Omit<MetricsQuery, "periods"> & { periods: readonly Period[] };

type SumRow = Record<Movement, number> &
  Record<`mrr_${Movement}`, string> & {
    /** Number of the period, from 1; 0 for all days before the first period. */
    period: number;
    token: Uint8Array;
    symbol: string | null;
    decimals: number | null;
    charged: string;
    net: string;
    failures: number;
  };

/** The sums of each period and token; period 0 is everything before the first. */
async function readSums(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { provider, token, subscription, periods }: Query,
): Promise<SumRow[]> {
  const period = sql`width_bucket(d.day, ${periods.map(({ start }) => start)}::bigint[]) as period`;
  const ofContract = (table: string) =>
    sql`${sql(table)}.chain_id = ${chainId} and ${sql(table)}.contract = ${contract}`;
  const days = sql`${ofContract("d")} and d.provider = ${toBytes(provider)} and d.day <= ${periods.at(-1)?.end ?? 0}`;
  const counted = sql`d.joined, d.reactivated, d.left, d.failed, d.removed, d.charged, d.net, d.failures`;
  const mrr = monthlyTwelfths(sql, { amount: sql`s.amount`, frequency: sql`s.frequency`, decimals: sql`t.decimals` });
  const found =
    subscription === undefined
      ? sql`
        select ${period}, d.token, ${counted}, mrr_joined, mrr_reactivated, mrr_left, mrr_failed, mrr_removed
        from provider_days d where ${days}`
      : sql`
        select ${period}, s.token, ${counted}, joined * mrr as mrr_joined, reactivated * mrr as mrr_reactivated,
          "left" * mrr as mrr_left, d.failed * mrr as mrr_failed, removed * mrr as mrr_removed
        from plan_days d join subscriptions s on ${ofContract("s")} and s.id = d.subscription_id
        left join indexed_tokens t on ${ofContract("t")} and t.token = s.token cross join lateral (select ${mrr} as mrr) recurring
        where ${days} and d.subscription_id = ${toBytes(subscription)}`;
  return sql<SumRow[]>`
    select found.*, t.symbol, t.decimals from (
      select token, period, sum(joined)::float8 as joined, sum(reactivated)::float8 as reactivated,
        sum("left")::float8 as "left", sum(failed)::float8 as failed, sum(removed)::float8 as removed,
        sum(mrr_joined) as mrr_joined, sum(mrr_reactivated) as mrr_reactivated, sum(mrr_left) as mrr_left,
        sum(mrr_failed) as mrr_failed, sum(mrr_removed) as mrr_removed,
        sum(charged) as charged, sum(net) as net, sum(failures)::float8 as failures
      from (${found}) days ${token === undefined ? sql`` : sql`where token = ${toBytes(token)}`}
      group by token, period
    ) found
    left join indexed_tokens t on ${ofContract("t")} and t.token = found.token order by found.token, period`;
}

/**
 * `since` is the first day for which recovered charges are recorded, null where there is none; `counts` is their number
 * by period (from 1) and token.
 */
type Recovered = { since: number | null; counts: Map<string, number> };

async function readRecovered(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { provider, token, subscription, periods }: Query,
): Promise<Recovered> {
  const [counter] = await sql<{ since: number | null }[]>`select announced_since::float8 as since from outbox_counters
    where chain_id = ${chainId} and contract = ${contract}`;
  const since = counter?.since ?? null;
  if (since === null) return { since, counts: new Map() };
  const rows = await sql<{ period: number; token: Uint8Array; count: number }[]>`
    select width_bucket(day, ${periods.map(({ start }) => start)}::bigint[]) as period, token, count(*)::float8 as count
    from recovered_payments
    where chain_id = ${chainId} and contract = ${contract} and provider = ${toBytes(provider)}
      and day between ${periods[0]?.start ?? 0} and ${periods.at(-1)?.end ?? 0}
      ${token === undefined ? sql`` : sql`and token = ${toBytes(token)}`}
      ${subscription === undefined ? sql`` : sql`and subscription_id = ${toBytes(subscription)}`}
    group by period, token`;
  return {
    since: Math.floor(since / DAY_SECONDS),
    counts: new Map(rows.map(({ period, token: of, count }) => [`${period} ${fromBytes(of)}`, count])),
  };
}

function toMetrics(rows: readonly SumRow[], periods: readonly Period[], recovered: Recovered): PeriodMetrics[] {
  const byToken = Map.groupBy(rows, ({ token }) => fromBytes(token));
  const all = [...byToken].flatMap(([token, ofToken]) => ofOneToken(token, ofToken, periods, recovered));
  return all.sort((a, b) => a.period.start - b.period.start);
}

function ofOneToken(
  token: Hex,
  rows: readonly SumRow[],
  periods: readonly Period[],
  { since, counts: recoveredCounts }: Recovered,
): PeriodMetrics[] {
  const byPeriod = new Map(rows.map((row) => [row.period, row]));
  const [known] = rows;
  const before = byPeriod.get(0);
  let active = activeAfter(0, countsOf(before));
  let mrr = revenueAfter(0n, revenueOf(before));
  return periods.flatMap((period, index) => {
    const row = byPeriod.get(index + 1);
    const [counts, revenue] = [countsOf(row), revenueOf(row)];
    const [activeStart, mrrStart] = [active, mrr];
    active = activeAfter(active, counts);
    mrr = revenueAfter(mrr, revenue);
    if (row === undefined && activeStart === 0) return [];
    return {
      period,
      token,
      // The indexer stores a token with its first event.
      tokenSymbol: cleanText(known?.symbol ?? "").text,
      tokenDecimals: known?.decimals ?? 18,
      activeStart,
      counts,
      activeEnd: active,
      mrrStart,
      mrr: revenue,
      mrrEnd: mrr,
      charged: BigInt(row?.charged ?? 0),
      net: BigInt(row?.net ?? 0),
      failures: row?.failures ?? 0,
      recovered: since === null || period.end < since ? null : (recoveredCounts.get(`${index + 1} ${token}`) ?? 0),
    };
  });
}

function countsOf(row: SumRow | undefined): Record<Movement, number> {
  const of = (movement: Movement) => row?.[movement] ?? 0;
  return {
    joined: of("joined"),
    reactivated: of("reactivated"),
    left: of("left"),
    failed: of("failed"),
    removed: of("removed"),
  };
}

function revenueOf(row: SumRow | undefined): Record<Movement, bigint> {
  const of = (movement: Movement) => BigInt(row?.[`mrr_${movement}`] ?? 0);
  return {
    joined: of("joined"),
    reactivated: of("reactivated"),
    left: of("left"),
    failed: of("failed"),
    removed: of("removed"),
  };
}

/** How many memberships are active after the movements of a period. */
function activeAfter(active: number, { joined, reactivated, left, failed, removed }: Record<Movement, number>): number {
  return active + joined + reactivated - left - failed - removed;
}

/** The recurring revenue after the movements of a period. */
function revenueAfter(mrr: bigint, { joined, reactivated, left, failed, removed }: Record<Movement, bigint>): bigint {
  return mrr + joined + reactivated - left - failed - removed;
}
