import { hostOf } from "@dueday/core/webhooks/checkWebhookUrl";
import type { DisabledReason } from "@dueday/core/webhooks/webhook";
import { and, count, desc, eq, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { readOutboxBounds } from "../outbox/readOutbox";
import { webhooks } from "../schema/webhooks";

/** A webhook with its encrypted secrets. */
export type Webhook = typeof webhooks.$inferSelect;

/** What its owner sets. */
export type WebhookSettings = Pick<
  Webhook,
  "url" | "description" | "types" | "subscriptionId" | "provider" | "subscriber"
>;

export type NewWebhook = Pick<Webhook, "id" | "chainId" | "contract" | "subjectId" | "secret"> & WebhookSettings;

/** A webhook whose URL has not answered a challenge. */
function unconfirmed(url: string, now: Date) {
  const disabledReason: DisabledReason = "challenge";
  const host = hostOf(url);
  return { url, host, confirmedAt: null, enabled: false, disabledReason, disabledAt: now };
}

/**
 * Stores a webhook that receives the events from now on, once its URL has answered a challenge, unless its subject has `maximum` webhooks
 * already.
 *
 * @returns null where it was not stored
 */
export async function createWebhook(
  database: Database,
  webhook: NewWebhook,
  { maximum, now }: { maximum: number; now: Date },
): Promise<Webhook | null> {
  const { lastSeq } = await readOutboxBounds(database, webhook);
  return database.run("create a webhook", (db) =>
    db.transaction(async (transaction) => {
      // Without the lock, two simultaneous creations could both count before either inserts.
      await transaction.execute(
        sql`select pg_advisory_xact_lock(hashtextextended(${`webhooks:${webhook.subjectId}`}, 0))`,
      );
      const [held] = await transaction
        .select({ webhooks: count() })
        .from(webhooks)
        .where(eq(webhooks.subjectId, webhook.subjectId));
      if ((held?.webhooks ?? 0) >= maximum) return null;
      const [stored] = await transaction
        .insert(webhooks)
        .values({
          ...webhook,
          ...unconfirmed(webhook.url, now),
          afterSeq: lastSeq,
          revision: 0,
          createdAt: now,
          updatedAt: now,
        })
        .returning();
      return stored ?? null;
    }),
  );
}

/** All webhooks of a subject, newest first. */
export async function listWebhooks(database: Database, subjectId: string): Promise<Webhook[]> {
  return database.run("list webhooks", (db) =>
    db
      .select()
      .from(webhooks)
      .where(eq(webhooks.subjectId, subjectId))
      .orderBy(desc(webhooks.createdAt), desc(webhooks.id)),
  );
}

/** Names a webhook and who must own it. */
export type OwnedWebhook = { id: string; subjectId: string };

const isOwned = ({ id, subjectId }: OwnedWebhook) => and(eq(webhooks.id, id), eq(webhooks.subjectId, subjectId));

/** A webhook; null where the subject owns none of this id. */
export async function findWebhook(database: Database, owned: OwnedWebhook): Promise<Webhook | null> {
  const rows = await database.run("find a webhook", (db) => db.select().from(webhooks).where(isOwned(owned)));
  return rows[0] ?? null;
}

/** What a change sets; absent parts stay. */
export type WebhookChange = Partial<WebhookSettings & { enabled: boolean }>;

/**
 * Changes a webhook. Enabled again, it continues after the last event that it was given. A change of its URL disables it until the new one has
 * answered a challenge.
 *
 * @returns null where the subject owns none of this id; `unconfirmed` where it can't be enabled before a challenge is answered, and nothing
 * was changed
 */
export async function updateWebhook(
  database: Database,
  owned: OwnedWebhook,
  { enabled, ...settings }: WebhookChange,
  now: Date,
): Promise<Webhook | "unconfirmed" | null> {
  return database.run("change a webhook", (db) =>
    db.transaction(async (transaction) => {
      const [before] = await transaction.select().from(webhooks).where(isOwned(owned)).for("update");
      if (before === undefined) return null;
      const { url = before.url } = settings;
      const isMoved = url !== before.url;
      if (enabled === true && (isMoved || before.confirmedAt === null)) return "unconfirmed";
      const state = isMoved ? { ...unconfirmed(url, now), ...UNTRIED } : stateOf(enabled, now);
      const [changed] = await transaction
        .update(webhooks)
        .set({ ...settings, ...state, revision: sql`${webhooks.revision} + 1`, updatedAt: now })
        .where(isOwned(owned))
        .returning();
      return changed ?? null;
    }),
  );
}

/** An endpoint of which nothing is known. */
export const UNTRIED = { failingSince: null, failures: 0, isSlow: false, restsUntil: null };

function stateOf(enabled: boolean | undefined, now: Date) {
  if (enabled === undefined) return {};
  if (enabled) return { enabled, disabledReason: null, disabledAt: null, ...UNTRIED };
  // A webhook that is already disabled keeps its first reason.
  return {
    enabled,
    disabledReason: sql`coalesce(${webhooks.disabledReason}, 'owner')`,
    disabledAt: sql`coalesce(${webhooks.disabledAt}, ${now.toISOString()}::timestamptz)`,
  };
}

/** Deletes a webhook with its deliveries. @returns whether the subject owned one of this id */
export async function deleteWebhook(database: Database, owned: OwnedWebhook): Promise<boolean> {
  const rows = await database.run("delete a webhook", (db) =>
    db.delete(webhooks).where(isOwned(owned)).returning({ id: webhooks.id }),
  );
  return rows.length > 0;
}

/** Replaces the secret; the one before it signs too until `previousUntil`. @returns whether the subject owns one of this id */
export async function rotateWebhookSecret(
  database: Database,
  owned: OwnedWebhook,
  { secret, previousUntil, now }: { secret: Webhook["secret"]; previousUntil: Date; now: Date },
): Promise<boolean> {
  const rows = await database.run("rotate a webhook's secret", (db) =>
    db
      .update(webhooks)
      .set({
        secret,
        previousSecret: sql`${webhooks.secret}`,
        previousSecretUntil: previousUntil,
        revision: sql`${webhooks.revision} + 1`,
        updatedAt: now,
      })
      .where(isOwned(owned))
      .returning({ id: webhooks.id }),
  );
  return rows.length > 0;
}
