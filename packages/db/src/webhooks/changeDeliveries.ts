import { CHALLENGE_TYPE } from "@dueday/core/webhooks/webhook";
import { and, desc, eq, getTableColumns, gt, gte, lt, lte, ne, sql } from "drizzle-orm";
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
      .values({ ...test, ...DUE_AT_REQUEST, nextAttemptAt: now, createdAt: now })
      .returning(),
  );
  if (row === undefined) throw new Error("the statement returned no row");
  return row;
}

export type ChallengeRules = {
  /** The most challenges of a webhook within the window. */
  most: number;
  windowMs: number;
  now: Date;
};

export type AddedChallenge = {
  /** Null where the webhook had the most challenges already. */
  delivery: WebhookDelivery | null;
  /** How many more may be added now. */
  remaining: number;
  /** When the oldest challenge leaves the window. */
  resetAt: Date;
};

/** Adds a challenge, which is due at once, unless the webhook had `most` challenges within the window. */
export async function addChallenge(
  database: Database,
  { webhookId, eventId }: Pick<WebhookDelivery, "webhookId" | "eventId">,
  { most, windowMs, now }: ChallengeRules,
): Promise<AddedChallenge> {
  return database.run("add a challenge", (db) =>
    db.transaction(async (transaction) => {
      // Without the lock, two simultaneous challenges could both count before either is added.
      await transaction.select({ id: webhooks.id }).from(webhooks).where(eq(webhooks.id, webhookId)).for("update");
      const isChallenge = and(eq(webhookDeliveries.webhookId, webhookId), eq(webhookDeliveries.type, CHALLENGE_TYPE));
      const since = new Date(now.getTime() - windowMs);
      const latest = await transaction
        .select({ createdAt: webhookDeliveries.createdAt })
        .from(webhookDeliveries)
        .where(and(isChallenge, gt(webhookDeliveries.createdAt, since)))
        .orderBy(desc(webhookDeliveries.id))
        .limit(most);
      const oldest = latest.at(-1)?.createdAt ?? now;
      const resetAt = new Date(oldest.getTime() + windowMs);
      if (latest.length === most) return { delivery: null, remaining: 0, resetAt };
      const [delivery] = await transaction
        .insert(webhookDeliveries)
        .values({ webhookId, eventId, type: CHALLENGE_TYPE, ...DUE_AT_REQUEST, nextAttemptAt: now, createdAt: now })
        .returning();
      if (delivery === undefined) throw new Error("the statement returned no row");
      return { delivery, remaining: most - latest.length - 1, resetAt };
    }),
  );
}

/** A delivery that its owner has requested, before its first attempt. */
const DUE_AT_REQUEST = { state: "pending", requested: true, attempts: 0 } as const;

/**
 * Makes a delivery due at once, with all of its attempts. A challenge can't be redelivered.
 *
 * @returns null where the subject owns none of this id, and for a challenge
 */
export async function redeliver(
  database: Database,
  { id, subjectId, deliveryId }: OwnedWebhook & { deliveryId: number },
  now: Date,
): Promise<WebhookDelivery | null> {
  const [row] = await database.run("redeliver an event", (db) =>
    db
      .update(webhookDeliveries)
      .set({ ...DUE_AT_REQUEST, nextAttemptAt: now })
      .from(webhooks)
      .where(
        and(
          eq(webhookDeliveries.id, deliveryId),
          eq(webhookDeliveries.webhookId, id),
          ne(webhookDeliveries.type, CHALLENGE_TYPE),
          eq(webhooks.id, webhookDeliveries.webhookId),
          eq(webhooks.subjectId, subjectId),
        ),
      )
      .returning(getTableColumns(webhookDeliveries)),
  );
  return row ?? null;
}

/** The most replaced deliveries of earlier replays that a replay keeps, so that repeated replays do not accumulate them. */
const MOST_REPLACED = 1_000;

/**
 * Whether a replay has moved the webhook to `after`, and the bounds of the kept events; `moved` is false where `after`
 * is less than `oldestSeq - 1` or greater than `lastSeq`.
 */
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
      // Surplus rows are deleted before any delivery is replaced: an attempt of such a delivery may be under way, and
      // its result is recorded in the row.
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
