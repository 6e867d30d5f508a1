import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import type { EventFilter, OutboxBounds } from "./readOutbox";

/** An event with what readers filter it by. */
export type OutboxRow = {
  seq: number;
  type: string;
  /** The type; of a retraction, that of the event that it retracts. */
  topic: string;
  subscription: Hex | null;
  provider: Hex | null;
  subscriber: Hex | null;
  /** JSON text. */
  body: string;
};

/** The events after `after` up to `upTo`, in the order of seq, with the bounds of the outbox in the same state. */
export async function readOutboxRows(
  database: Database,
  { chainId, contract }: ContractScope,
  { after, upTo }: { after: number; upTo: number },
): Promise<OutboxBounds & { rows: OutboxRow[] }> {
  type Row = { last: number; pruned: number; body: string | null } & OutboxRow;
  const found = await database.run(
    "read events",
    () => database.sql<Row[]>`
      select c.last_seq::float8 as last, c.pruned_seq::float8 as pruned, o.* from outbox_counters c left join lateral (
        select seq::float8 as seq, type, topic, '0x' || encode(subscription_id, 'hex') as subscription,
          '0x' || encode(provider, 'hex') as provider, '0x' || encode(subscriber, 'hex') as subscriber, body
        from outbox where chain_id = ${chainId} and contract = ${contract} and seq > ${after} and seq <= ${upTo}) o on true
      where c.chain_id = ${chainId} and c.contract = ${contract} order by o.seq`,
  );
  const [{ last, pruned } = { last: 0, pruned: 0 }] = found;
  // The left join returns all columns of an event or none.
  const rows = found.filter(({ body }) => body !== null);
  return { oldestSeq: pruned + 1, lastSeq: last, rows };
}

/** Whether a filter passes an event: the rule of `readOutboxPage`, for readers that share what they read. */
export function passes(
  { types, subscription, provider, subscriber }: EventFilter,
  row: Omit<OutboxRow, "body">,
): boolean {
  if (types != null && !types.includes(row.topic) && !types.includes(row.type)) return false;
  if (subscription != null && row.subscription !== subscription) return false;
  if (provider != null && row.provider !== provider) return false;
  return subscriber == null || row.subscriber === subscriber;
}
