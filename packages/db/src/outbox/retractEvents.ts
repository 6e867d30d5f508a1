import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import { retractionId } from "@dueday/core/domainEvents/eventId";
import type { PendingQuery, Row, TransactionSql } from "postgres";
import type { IndexedBlock } from "../eventIndex/indexedLog";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { appendEvents, lockOutbox, type NewOutboxEvent } from "./appendEvents";

/** Retracts every event above a block, and forgets the states that those blocks had changed. For the transaction of a rewind. */
export async function retractEventsAbove(
  sql: TransactionSql,
  scope: ContractScope,
  { block, now }: { block: number; now: Date },
): Promise<void> {
  const { chainId, contract } = scope;
  await lockOutbox(sql, scope);
  await sql`delete from outbox_states where chain_id = ${chainId} and contract = ${contract} and block_number > ${block}`;
  await retract(sql, scope, sql`block_number > ${block}`, now);
}

/**
 * Retracts the events of plans and forecasts whose block was replaced: a scan may read a block before the index does, and the index, or
 * the next scan, may then find another block at that height. For the transaction that stores these blocks, or a plan of one.
 */
export async function retractReplacedPlans(
  sql: TransactionSql,
  scope: ContractScope,
  blocks: readonly Pick<IndexedBlock, "number" | "hash">[],
  now: Date,
): Promise<void> {
  const { chainId, contract } = scope;
  const known = JSON.stringify(blocks.map(({ number, hash }) => ({ number, hash: hash.slice(2) })));
  const isReplaced = (table: "outbox" | "outbox_states") => sql`
    exists (select from json_to_recordset(${known}::text::json) as b(number bigint, hash text)
      where b.number = ${sql(table)}.block_number and decode(b.hash, 'hex') <> ${sql(table)}.block_hash)`;
  const [found] = await sql`select from outbox_states where chain_id = ${chainId} and contract = ${contract}
    and ${isReplaced("outbox_states")} limit 1`;
  if (found === undefined) return;
  await lockOutbox(sql, scope);
  await sql`delete from outbox_states where chain_id = ${chainId} and contract = ${contract}
    and ${isReplaced("outbox_states")}`;
  await retract(sql, scope, sql`from_plan and ${isReplaced("outbox")}`, now);
}

type RetractedRow = Record<"subscription_id" | "provider" | "subscriber", Uint8Array | null> & {
  seq: number;
  id: string;
  type: string;
  body: string;
};

/** Retracts the events that a condition selects, in their order. */
export async function retract(
  sql: TransactionSql,
  scope: ContractScope,
  which: PendingQuery<Row[]>,
  now: Date,
): Promise<void> {
  const rows = await sql<RetractedRow[]>`
    with marked as (
      update outbox set retracted = true
      where chain_id = ${scope.chainId} and contract = ${scope.contract} and not retracted and ${which}
      returning seq, id, type, subscription_id, provider, subscriber, body
    )
    select seq::float8 as seq, id, type, subscription_id, provider, subscriber, body from marked order by seq`;
  await appendEvents(
    sql,
    scope,
    rows.map((row) => retractionOf(scope.chainId, row, now)),
    now,
  );
}

function retractionOf(chainId: number, row: RetractedRow, now: Date): NewOutboxEvent {
  const { seq, id, type } = row;
  const hexOrNull = (bytes: Uint8Array | null) => (bytes === null ? null : fromBytes(bytes));
  // The body of a row is an event that this outbox has written.
  const { block, transactionHash } = JSON.parse(row.body) as NewDomainEvent;
  return {
    event: {
      id: retractionId(chainId, { id, seq }),
      type: "event.retracted",
      chainId,
      timestamp: now.toISOString(),
      // What was known of its finality does not count: the block may be no longer on the chain.
      block: { ...block, finality: "latest", finalized: false },
      ...(transactionHash !== undefined && { transactionHash }),
      data: { id, type },
    },
    retracts: {
      type,
      parties: {
        subscription: hexOrNull(row.subscription_id),
        provider: hexOrNull(row.provider),
        subscriber: hexOrNull(row.subscriber),
      },
    },
  };
}
