import type { Database } from "../connectDatabase";
import { isDue, isWanted, type LeasedWebhook } from "./leaseWebhooks";

/** A delivery to attempt. */
export type DueDelivery = {
  id: number;
  /** Null for a test and a challenge. */
  seq: number | null;
  eventId: string;
  type: string;
  /** Whether its owner requested it: a test, a challenge, or a redelivery. */
  requested: boolean;
  attempts: number;
  /** Unix milliseconds. */
  createdAt: number;
  /** The event as JSON text; null where the delivery has none, and where the event is no longer kept. */
  body: string | null;
};

/** Due deliveries of a webhook in the order of their attempts: first those that its owner requested, then the others, each by id. */
export async function readDueDeliveries(
  database: Database,
  { id }: Pick<LeasedWebhook, "id">,
  { now, most }: { now: Date; most: number },
): Promise<DueDelivery[]> {
  return database.run(
    "read due deliveries",
    () => database.sql<DueDelivery[]>`
      select d.id::float8 as id, d.seq::float8 as seq, d.event_id as "eventId", d.type, d.requested, d.attempts, extract(epoch from d.created_at)::float8 * 1000 as "createdAt", o.body
      from webhook_deliveries d join webhooks w on w.id = d.webhook_id
        left join outbox o on o.chain_id = w.chain_id and o.contract = w.contract and o.seq = d.seq
      where d.webhook_id = ${id} and ${isDue(database, now)} and ${isWanted(database)}
      order by d.requested desc, d.id limit ${most}`,
  );
}
