import type { NewDomainEvent } from "@dueday/core/domainEvents/domainEvent";
import { type EventParties, eventParties } from "@dueday/core/domainEvents/eventParties";
import type { TransactionSql } from "postgres";
import { copyRows } from "../rows/copyRows";
import type { ContractScope } from "../schema/columns";
import { outbox } from "../schema/outbox";
import { EVENT_CHANNEL, type EventMessage } from "./eventChannel";

/** An event to write. */
export type NewOutboxEvent = {
  event: NewDomainEvent;
  /** Its source is the plan or the forecast. Default false. */
  fromPlan?: boolean;
  /** For a retraction: what readers filter the retracted event by. */
  retracts?: { type: string; parties: EventParties };
};

const COLUMNS = [
  "chain_id",
  "contract",
  "seq",
  "id",
  "type",
  "topic",
  "subscription_id",
  "provider",
  "subscriber",
  "block_number",
  "block_hash",
  "from_plan",
  "retracted",
  "written_at",
  "body",
];

/**
 * Locks the outbox until the transaction ends: no other transaction writes an event or a state of it. It has to be the last lock that a
 * transaction takes, after the checkpoint's and those of snapshots: two transactions in different orders can deadlock.
 */
export async function lockOutbox(sql: TransactionSql, { chainId, contract }: ContractScope): Promise<void> {
  await sql`insert into outbox_counters values (${chainId}, ${contract}, 0, 0)
    on conflict (chain_id, contract) do update set last_seq = outbox_counters.last_seq`;
}

/** Writes events in their order, with the next seqs, and notifies the readers when the transaction commits. */
export async function appendEvents(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  events: readonly NewOutboxEvent[],
  writtenAt: Date,
): Promise<void> {
  if (events.length === 0) return;
  const [counter] = await sql<{ last: number }[]>`
    insert into outbox_counters values (${chainId}, ${contract}, ${events.length}, 0)
    on conflict (chain_id, contract) do update set last_seq = outbox_counters.last_seq + excluded.last_seq
    returning last_seq::float8 as last`;
  if (counter === undefined) throw new Error("the statement returned no row");
  const first = counter.last - events.length + 1;
  const rows = events.map(({ event, fromPlan = false, retracts }, index) => {
    const { id, ...rest } = event;
    const seq = first + index;
    const { subscription, provider, subscriber } = retracts?.parties ?? eventParties(event);
    return [
      chainId,
      contract,
      seq,
      id,
      event.type,
      retracts?.type ?? event.type,
      subscription,
      provider,
      subscriber,
      Number(event.block.number),
      event.block.hash,
      fromPlan,
      event.type === "event.retracted",
      writtenAt,
      JSON.stringify({ id, seq, ...rest }),
    ];
  });
  await copyRows(sql, outbox, COLUMNS, rows);
  const message: EventMessage = { chainId, contract, seq: counter.last };
  await sql`select pg_notify(${EVENT_CHANNEL}, ${JSON.stringify(message)})`;
}
