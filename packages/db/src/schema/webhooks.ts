import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, smallint, text, timestamp, uuid } from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/** Endpoints that receive the events of a chain. */
export const webhooks = pgTable(
  "webhooks",
  {
    id: uuid("id").primaryKey(),
    ...ofContract,
    /** The owner: the subject of the developer key or portal session that created it. */
    subjectId: text("subject_id").notNull(),
    url: text("url").notNull(),
    /** Host of the URL (`hostOf`): its deliveries count against the rate and the turns of this host. */
    host: text("host").notNull(),
    /** When the URL answered a challenge; null until then, and again after the URL changes. Nothing but challenges is sent before. */
    confirmedAt: timestamp("confirmed_at", { withTimezone: true }),
    description: text("description"),
    /** Types of events that it receives; null for all. */
    types: text("types").array(),
    /** Its filter: null passes everything. */
    subscriptionId: hexBytes("subscription_id"),
    provider: hexBytes("provider"),
    subscriber: hexBytes("subscriber"),
    /** The signing secret, encrypted (`createSecretBox`). */
    secret: hexBytes("secret").notNull(),
    /** The secret before the last rotation, which signs too until `previousSecretUntil`. */
    previousSecret: hexBytes("previous_secret"),
    previousSecretUntil: timestamp("previous_secret_until", { withTimezone: true }),
    enabled: boolean("enabled").notNull(),
    /** A `DisabledReason`; null while it is enabled. */
    disabledReason: text("disabled_reason"),
    disabledAt: timestamp("disabled_at", { withTimezone: true }),
    /** The first failure since the last success; null while deliveries succeed. */
    failingSince: timestamp("failing_since", { withTimezone: true }),
    /** Failed attempts since the last success. */
    failures: integer("failures").notNull().default(0),
    /** Whether the last attempt took so long that the next one waits apart from those to quick endpoints. */
    isSlow: boolean("is_slow").notNull().default(false),
    /** Nothing is sent before this time, which is set after failures, and where its host's rate is used up. */
    restsUntil: timestamp("rests_until", { withTimezone: true }),
    /** Deliveries exist for all of its events up to this seq. */
    afterSeq: bigint("after_seq", { mode: "number" }).notNull(),
    /**
     * Rises with every change by its owner, and when it is enabled or disabled: a worker that holds an older revision
     * reads the webhook again.
     */
    revision: integer("revision").notNull(),
    /** The worker process that delivers to it, until the lease expires. */
    leasedBy: uuid("leased_by"),
    leasedUntil: timestamp("leased_until", { withTimezone: true }),
    /** When a worker last began to deliver to it: webhooks with an earlier time come first. */
    servedAt: timestamp("served_at", { withTimezone: true }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    updatedAt: timestamp("updated_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("webhooks_by_subject").on(table.subjectId, table.createdAt),
    index("webhooks_by_contract").on(table.chainId, table.contract),
  ],
);

/**
 * The rate of each destination, a host or an address, for all workers and all webhooks that lead to it. The migration makes it unlogged:
 * every attempt changes two rows, and after a crash all destinations begin with an unused rate.
 */
export const webhookTargets = pgTable("webhook_targets", {
  target: text("target").primaryKey(),
  /** When nothing of its rate is used any more, by the database's clock. */
  usedUntil: timestamp("used_until", { withTimezone: true }).notNull(),
});

/** One row for each event that a webhook receives, and for each test and challenge. Ids rise in the order in which the deliveries were made. */
export const webhookDeliveries = pgTable(
  "webhook_deliveries",
  {
    id: bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    webhookId: uuid("webhook_id")
      .notNull()
      .references(() => webhooks.id, { onDelete: "cascade" }),
    /** Of the event in the outbox, which has the body; null for a test and a challenge. */
    seq: bigint("seq", { mode: "number" }),
    eventId: text("event_id").notNull(),
    type: text("type").notNull(),
    /** A `DeliveryState`. */
    state: text("state").notNull(),
    /** Requested by the owner (a test, a challenge, a redelivery): its next attempt comes first, and is made while the webhook is disabled, too. */
    requested: boolean("requested").notNull(),
    /** Attempts of the present schedule; a redelivery begins again at 0. */
    attempts: integer("attempts").notNull(),
    /** Null once it is not pending. */
    nextAttemptAt: timestamp("next_attempt_at", { withTimezone: true }),
    lastAttemptAt: timestamp("last_attempt_at", { withTimezone: true }),
    /** Of the last attempt; null before the first. */
    durationMs: integer("duration_ms"),
    /** Null where the last attempt got no response. */
    responseStatus: smallint("response_status"),
    /** The beginning of the response, cleaned. */
    responseBody: text("response_body"),
    /** A `DeliveryFailureCode`; null where the last attempt succeeded, and before the first. */
    failure: text("failure"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("webhook_deliveries_by_webhook").on(table.webhookId, table.id),
    index("webhook_deliveries_due").on(table.webhookId, table.nextAttemptAt).where(sql`state = 'pending'`),
    index("webhook_deliveries_waiting").on(table.webhookId).where(sql`state = 'pending' and attempts = 0`),
    index("webhook_deliveries_by_age").on(table.createdAt),
  ],
);
