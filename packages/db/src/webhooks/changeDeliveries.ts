import { and, desc, eq, getTableColumns, gte, lt, lte, sql } from "drizzle-orm";
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

/** Replaced deliveries of a webhook that a replay leaves, besides those that it replaces itself: repeated replays do not pile them up. */
const MOST_REPLACED = 1_000;

/** Where a replay begins, with the bounds of what is kept; `moved` is false where `after` lies outside of them. */
export type Replay = { moved: boolean; oldestSeq: number; lastSeq: number };

/**
 * Gives a webhook all of its events after a seq, again or for the first time. Deliveries of these events that are still pending are
 * replaced; of those that earlier replays have replaced, the newest stay. A seq at or past the webhook's own position skips: then all
 * of its pending deliveries of events are replaced. Attempts under way may still arrive.
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
      const [before] = await transaction
        .select({ afterSeq: webhooks.afterSeq })
        .from(webhooks)
        .where(eq(webhooks.id, webhook.id))
        .for("update");
      const firstReplaced = before !== undefined && after >= before.afterSeq ? 0 : after + 1;
      await transaction
        .update(webhooks)
        .set({ afterSeq: after, revision: sql`${webhooks.revision} + 1`, updatedAt: now })
        .where(eq(webhooks.id, webhook.id));
      const isReplaced = and(eq(webhookDeliveries.webhookId, webhook.id), eq(webhookDeliveries.state, "replaced"));
      // Before it replaces any: an attempt of one may be under way, whose result is recorded in its row.
      const [newestSurplus] = await transaction
        .select({ id: webhookDeliveries.id })
        .from(webhookDeliveries)
        .where(isReplaced)
        .orderBy(desc(webhookDeliveries.id))
        .offset(MOST_REPLACED)
        .limit(1);
      if (newestSurplus !== undefined)
        await transaction.delete(webhookDeliveries).where(and(isReplaced, lte(webhookDeliveries.id, newestSurplus.id)));
      await transaction
        .update(webhookDeliveries)
        .set({ state: "replaced", nextAttemptAt: null, requested: false })
        .where(
          and(
            eq(webhookDeliveries.webhookId, webhook.id),
            eq(webhookDeliveries.state, "pending"),
            gte(webhookDeliveries.seq, firstReplaced),
          ),
        );
    }),
  );
  return { moved: true, ...bounds };
}
