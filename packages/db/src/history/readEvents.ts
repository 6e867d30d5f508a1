import { subLogCode } from "@dueday/core/events/subLogEvents";
import { cleanText } from "@dueday/core/text/cleanText";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { type IndexAnswer, type IndexState, type NoState, readIndex } from "../eventIndex/readIndex";
import { fromBytes, toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/**
 * A SubLog event. `amount` has 18 decimals; that of a failure is what the charge would have taken, as in every money row, although the log
 * holds 0. `tokenDecimals` are as the protocol has recorded them.
 */
export type StoredEvent = {
  id: Hex;
  code: number;
  provider: Hex;
  subscriber: Hex;
  token: Hex;
  tokenSymbol: string;
  tokenDecimals: number;
  amount: bigint;
  /** Unix seconds. */
  timestamp: number;
  blockNumber: number;
  logIndex: number;
  transactionHash: Hex;
};

/** Position of a log. The page after it begins with the next older log, whatever the number of newer ones. */
export type LogCursor = { blockNumber: number; logIndex: number };

/** A page of a list, and the block whose state it is read from: null for the newest. */
export type Page = { first: number; skip: number; atBlock: number | null; after?: LogCursor };

/** Filters of a list of events. Both times are unix seconds and included. */
export type EventFilters = { code?: number; subscription?: Hex; fromTimestamp?: number; toTimestamp?: number };

export type EventPage = { events: StoredEvent[]; total: number };

/** The events of a subscription, newest first; `value` is null if it was never created. */
export async function readSubscriptionEvents(
  database: Database,
  scope: ContractScope,
  id: Hex,
  { first, skip, atBlock, after }: Page,
  filters: EventFilters = {},
): Promise<IndexAnswer<EventPage | null> | NoState> {
  return readIndex(database, scope, atBlock, async (sql, state) => {
    const { chainId, contract } = scope;
    const inContract = sql`chain_id = ${chainId} and contract = ${contract} and subscription_id = ${toBytes(id)}`;
    const at = state.block.number;
    const [subscription] = await sql<{ total: number }[]>`
      select (log_count - ${state.isLatest ? sql`0` : sql`(select count(*) from sub_logs where ${inContract} and block_number > ${at})`}
        )::float8 as total
      from subscriptions where chain_id = ${chainId} and contract = ${contract} and id = ${toBytes(id)}`;
    if (subscription === undefined) return null;
    // The subquery leaves the contract out, so that skipped rows are read from the database index alone.
    const rows = await sql<EventRow[]>`
      select l.*, ${amountOf(sql)} as event_amount, t.symbol, t.decimals from (
        select block_number, log_index from sub_logs
        where chain_id = ${chainId} and subscription_id = ${toBytes(id)} and block_number <= ${at}
          ${olderThan(sql, after)} ${matching(sql, filters)}
        order by block_number desc, log_index desc limit ${first} offset ${skip}) page
      join sub_logs l on l.chain_id = ${chainId} and l.contract = ${contract}
        and l.block_number = page.block_number and l.log_index = page.log_index
      join subscriptions s on s.chain_id = l.chain_id and s.contract = l.contract and s.id = l.subscription_id
      left join indexed_tokens t on t.chain_id = l.chain_id and t.contract = l.contract and t.token = l.token
      order by l.block_number desc, l.log_index desc`;
    return { events: rows.map(toEvent), total: await totalOf(subscription.total) };

    async function totalOf(all: number): Promise<number> {
      if (Object.keys(filters).length === 0) return all;
      const [count] = await sql<{ total: number }[]>`select count(*)::float8 as total from sub_logs
        where ${inContract} and block_number <= ${at} ${matching(sql, filters)}`;
      return count?.total ?? 0;
    }
  });
}

function amountOf(sql: TransactionSql) {
  return sql`case l.code when ${subLogCode.Failed} then s.amount else l.amount end`;
}

function olderThan(sql: TransactionSql, after: LogCursor | undefined) {
  return after === undefined ? sql`` : sql`and (block_number, log_index) < (${after.blockNumber}, ${after.logIndex})`;
}

function matching(sql: TransactionSql, { code, subscription, fromTimestamp, toTimestamp }: EventFilters) {
  // The code is a literal, because the planner uses the indexes of rare codes only where it sees the code.
  return sql`${code === undefined ? sql`` : sql`and code = ${sql.unsafe(String(code))}`}
    ${subscription === undefined ? sql`` : sql`and subscription_id = ${toBytes(subscription)}`}
    ${fromTimestamp === undefined ? sql`` : sql`and timestamp >= ${fromTimestamp}`}
    ${toTimestamp === undefined ? sql`` : sql`and timestamp <= ${toTimestamp}`}`;
}

/** Number of an account's events by code. An event in `both` is also counted in `asProvider` and `asSubscriber`. */
export type ActivityCounts = Record<"asProvider" | "asSubscriber" | "both", number[]>;

/** `counts` covers all events, `total` those that match the filters. */
export type ActivityPage = { events: StoredEvent[]; counts: ActivityCounts; total: number };

/** The events of an account, as subscriber or as provider, newest first. */
export async function readAccountEvents(
  database: Database,
  scope: ContractScope,
  account: Hex,
  { first, skip, atBlock, after }: Page,
  filters: EventFilters = {},
): Promise<IndexAnswer<ActivityPage> | NoState> {
  return readIndex(database, scope, atBlock, async (sql, state) => {
    const { chainId, contract } = scope;
    const all = sql`chain_id = ${chainId} and block_number <= ${state.block.number} ${matching(sql, filters)}`;
    const upTo = sql`${all} ${olderThan(sql, after)}`;
    const newestFirst = sql`order by block_number desc, log_index desc`;
    const accountBytes = toBytes(account);
    // Each branch has its own limit, so that neither database index is read beyond the page; `union` removes events found by
    // both.
    const rows = await sql<EventRow[]>`
      select l.*, ${amountOf(sql)} as event_amount, t.symbol, t.decimals from (
        select block_number, log_index from (
          (select block_number, log_index from sub_logs where ${upTo} and provider = ${accountBytes} ${newestFirst}
            limit ${skip + first})
          union
          (select block_number, log_index from sub_logs where ${upTo} and subscriber = ${accountBytes} ${newestFirst}
            limit ${skip + first})
        ) either ${newestFirst} limit ${first} offset ${skip}) page
      join sub_logs l on l.chain_id = ${chainId} and l.contract = ${contract}
        and l.block_number = page.block_number and l.log_index = page.log_index
      join subscriptions s on s.chain_id = l.chain_id and s.contract = l.contract and s.id = l.subscription_id
      left join indexed_tokens t on t.chain_id = l.chain_id and t.contract = l.contract and t.token = l.token
      order by l.block_number desc, l.log_index desc`;
    const counts = await readCounts(sql, scope, account, state);
    return { events: rows.map(toEvent), counts, total: await totalOf(counts) };

    async function totalOf({ asProvider, asSubscriber, both }: ActivityCounts): Promise<number> {
      const { code, ...others } = filters;
      if (Object.keys(others).length === 0) {
        const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);
        const counted = (numbers: readonly number[]) => (code === undefined ? sum(numbers) : (numbers[code] ?? 0));
        return counted(asProvider) + counted(asSubscriber) - counted(both);
      }
      const [count] = await sql<{ total: number }[]>`
        select (select count(*) from sub_logs where ${all} and provider = ${accountBytes})::float8
          + (select count(*) from sub_logs where ${all} and subscriber = ${accountBytes} and provider <> ${accountBytes})::float8
          as total`;
      return count?.total ?? 0;
    }
  });
}

const CODES = 10;
const ROLES = ["asProvider", "asSubscriber", "both"] as const;

async function readCounts(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  account: Hex,
  { block, isLatest }: IndexState,
): Promise<ActivityCounts> {
  const counts: ActivityCounts = {
    asProvider: Array(CODES).fill(0),
    asSubscriber: Array(CODES).fill(0),
    both: Array(CODES).fill(0),
  };
  const inContract = sql`chain_id = ${chainId} and contract = ${contract}`;
  const later = sql`${inContract} and block_number > ${block.number}`;
  const accountBytes = toBytes(account);
  const rows = await sql<{ role: number; code: number; count: number }[]>`
    select role, code, sum(count)::float8 as count from (
      select role, code, count from activity_counters where ${inContract} and account = ${accountBytes}
      ${
        isLatest
          ? sql``
          : sql`union all select 0, code, -1 from sub_logs where ${later} and provider = ${accountBytes}
              union all select 1, code, -1 from sub_logs where ${later} and subscriber = ${accountBytes}
              union all select 2, code, -1 from sub_logs where ${later} and provider = ${accountBytes} and subscriber = ${accountBytes}`
      }
    ) found group by role, code`;
  for (const { role, code, count } of rows) {
    const name = ROLES[role];
    if (name !== undefined) counts[name][code] = count;
  }
  return counts;
}

type EventRow = Record<"subscription_id" | "provider" | "subscriber" | "token" | "transaction_hash", Uint8Array> &
  Record<"block_number" | "timestamp" | "event_amount", string> & {
    log_index: number;
    code: number;
    symbol: string | null;
    decimals: number | null;
  };

function toEvent(row: EventRow): StoredEvent {
  return {
    id: fromBytes(row.subscription_id),
    code: row.code,
    provider: fromBytes(row.provider),
    subscriber: fromBytes(row.subscriber),
    token: fromBytes(row.token),
    // The indexer stores a token with its first event.
    tokenSymbol: cleanText(row.symbol ?? "").text,
    tokenDecimals: row.decimals ?? 18,
    amount: BigInt(row.event_amount),
    timestamp: Number(row.timestamp),
    blockNumber: Number(row.block_number),
    logIndex: row.log_index,
    transactionHash: fromBytes(row.transaction_hash),
  };
}
