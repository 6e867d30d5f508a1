import { and, desc, eq, getTableColumns, lt, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { readOutboxBounds } from "../outbox/readOutbox";
import { webhookDeliveries, webhooks } from "../schema/webhooks";
import type { OwnedWebhook, Webhook } from "./storeWebhook";

export type WebhookDelivery = typeof webhookDeliveries.$inferSelect;

export type DeliveryPage = {
  webhookId: string;
  first: number;
  /** Only deliveries that are older than the one of this id. */
  before?: number | undefined;
  state?: string | undefined;
};

/** Deliveries of a webhook, newest first. */
export async function listDeliveries(
  database: Database,
  { webhookId, first, before, state }: DeliveryPage,
): Promise<WebhookDelivery[]> {
  return database.run("list deliveries", (db) =>
    db
      .select()
      .from(webhookDeliveries)
      .where(
        and(
          eq(webhookDeliveries.webhookId, webhookId),
          before === undefined ? undefined : lt(webhookDeliveries.id, before),
          state === undefined ? undefined : eq(webhookDeliveries.state, state),
        ),
      )
      .orderBy(desc(webhookDeliveries.id))
      .limit(first),
  );
}

/** Adds a test, which is due at once. */
export async function addTestDelivery(
  database: Database,
  test: Pick<WebhookDelivery, "webhookId" | "eventId" | "type">,
  now: Date,
): Promise<WebhookDelivery> {
  const [row] = await database.run("add a test delivery", (db) =>
    db
      .insert(webhookDeliveries)
      .values({ ...test, state: "pending", requested: true, attempts: 0, nextAttemptAt: now, createdAt: now })
      .returning(),
  );
  if (row === undefined) throw new Error("the statement returns the row that it writes");
  return row;
}

/** Makes a delivery due at once, with all of its attempts. @returns null where the subject owns none of this id */
export async function redeliver(
  database: Database,
  { id, subjectId, deliveryId }: OwnedWebhook & { deliveryId: number },
  now: Date,
): Promise<WebhookDelivery | null> {
  const [row] = await database.run("redeliver an event", (db) =>
    db
      .update(webhookDeliveries)
      .set({ state: "pending", requested: true, attempts: 0, nextAttemptAt: now })
      .from(webhooks)
      .where(
        and(
          eq(webhookDeliveries.id, deliveryId),
          eq(webhookDeliveries.webhookId, id),
          eq(webhooks.id, webhookDeliveries.webhookId),
          eq(webhooks.subjectId, subjectId),
        ),
      )
      .returning(getTableColumns(webhookDeliveries)),
  );
  return row ?? null;
}

/** Where a replay begins, with the bounds of what is kept; `moved` is false where `after` lies outside of them. */
export type Replay = { moved: boolean; oldestSeq: number; lastSeq: number };

/**
 * Gives a webhook all of its events after a seq, again or for the first time. Deliveries of these events that are still pending are
 * replaced. Attempts under way may still arrive.
 */
export async function replayWebhook(
  database: Database,
  webhook: Pick<Webhook, "id" | "chainId" | "contract">,
  { after, now }: { after: number; now: Date },
): Promise<Replay> {
  const bounds = await readOutboxBounds(database, webhook);
  if (after < bounds.oldestSeq - 1 || after > bounds.lastSeq) return { moved: false, ...bounds };
  await database.run("replay events", (db) =>
    db.transaction(async (transaction) => {
      await transaction
        .update(webhooks)
        .set({ afterSeq: after, revision: sql`${webhooks.revision} + 1`, updatedAt: now })
        .where(eq(webhooks.id, webhook.id));
      await transaction
        .update(webhookDeliveries)
        .set({ state: "replaced", nextAttemptAt: null, requested: false })
        .where(
          and(
            eq(webhookDeliveries.webhookId, webhook.id),
            eq(webhookDeliveries.state, "pending"),
            sql`${webhookDeliveries.seq} > ${after}`,
          ),
        );
    }),
  );
  return { moved: true, ...bounds };
}
