import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** What a reader wants. An absent or null part passes everything; `types` is not empty. */
export type EventFilter = {
  /** A retraction passes with the type of the event that it retracts, too. */
  types?: readonly string[] | null;
  subscription?: Hex | null;
  provider?: Hex | null;
  subscriber?: Hex | null;
};

/** The bounds of an outbox: events with a seq from `oldestSeq` to `lastSeq` are kept, without gaps. */
export type OutboxBounds = { oldestSeq: number; lastSeq: number };

/** A page of events in the order of seq. Bodies are JSON text. */
export type OutboxPage = OutboxBounds & {
  bodies: string[];
  /** Everything up to this seq was read. */
  nextAfter: number;
};

/** Null `after` begins at the oldest. */
export type OutboxQuery = { after: number | null; first: number; filter?: EventFilter };

/** Only the bounds where events after `after` are pruned already, or where `after` is above the last seq. */
export type FoundPage = OutboxPage | (OutboxBounds & { bodies: null });

/** Rows that one page looks at: a filter that passes little must not read the whole outbox. */
export const ROWS_AT_ONCE = 20_000;

/** The bounds of an outbox; before its first event, `lastSeq` is 0 and `oldestSeq` 1. */
export async function readOutboxBounds(
  database: Database,
  { chainId, contract }: ContractScope,
): Promise<OutboxBounds> {
  const [row] = await database.run(
    "read the outbox",
    () => database.sql<{ last: number; pruned: number }[]>`
      select last_seq::float8 as last, pruned_seq::float8 as pruned from outbox_counters
      where chain_id = ${chainId} and contract = ${contract}`,
  );
  return { oldestSeq: (row?.pruned ?? 0) + 1, lastSeq: row?.last ?? 0 };
}

/** The events after a seq that pass the filter, oldest first. */
export async function readOutboxPage(database: Database, scope: ContractScope, query: OutboxQuery): Promise<FoundPage> {
  return database.run("read events", () => selectOutboxPage(database.sql, scope, query));
}

/** The same in a transaction. */
export async function selectOutboxPage(
  sql: Database["sql"] | TransactionSql,
  { chainId, contract }: ContractScope,
  { after, first, filter = {} }: OutboxQuery,
): Promise<FoundPage> {
  const { types = null, subscription = null, provider = null, subscriber = null } = filter;
  // One statement sees one state: the bounds hold for its rows.
  const rows = await sql<{ last: number; pruned: number; seq: number | null; body: string | null }[]>`
    select c.last_seq::float8 as last, c.pruned_seq::float8 as pruned, o.seq::float8 as seq, o.body
    from outbox_counters c left join lateral (
      select seq, body from outbox where chain_id = ${chainId} and contract = ${contract}
        and seq > coalesce(${after}::bigint, c.pruned_seq)
        and seq <= coalesce(${after}::bigint, c.pruned_seq) + ${ROWS_AT_ONCE}
        ${types === null ? sql`` : sql`and (topic in ${sql(types)} or type in ${sql(types)})`}
        ${subscription === null ? sql`` : sql`and subscription_id = ${toBytes(subscription)}`}
        ${provider === null ? sql`` : sql`and provider = ${toBytes(provider)}`}
        ${subscriber === null ? sql`` : sql`and subscriber = ${toBytes(subscriber)}`}
      order by seq limit ${first}) o on true
    where c.chain_id = ${chainId} and c.contract = ${contract} order by o.seq`;
  const [{ last, pruned } = { last: 0, pruned: 0 }] = rows;
  const bounds = { oldestSeq: pruned + 1, lastSeq: last };
  const from = after ?? pruned;
  if (from < pruned || from > last) return { ...bounds, bodies: null };
  const found = rows.flatMap(({ seq, body }) => (seq === null || body === null ? [] : [{ seq, body }]));
  const isFull = found.length === first;
  const nextAfter = (isFull ? found.at(-1)?.seq : undefined) ?? Math.min(last, from + ROWS_AT_ONCE);
  return { ...bounds, bodies: found.map(({ body }) => body), nextAfter };
}
