import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/**
 * The domain events of a contract. Rows never change, except for `retracted`. `seq` comes from `outbox_counters`, whose row the
 * writing transaction locks: a reader that sees a seq sees every lower one.
 */
export const outbox = pgTable(
  "outbox",
  {
    ...ofContract,
    seq: bigint("seq", { mode: "number" }).notNull(),
    /** The same for the same log of the same block; not unique, because a block can return after a reorganisation. */
    id: text("id").notNull(),
    type: text("type").notNull(),
    /** The type; of a retraction, that of the event that it retracts: a filter passes an event and its retraction alike. */
    topic: text("topic").notNull(),
    /** What readers filter by, besides the topic; null where the event concerns no single one. */
    subscriptionId: hexBytes("subscription_id"),
    provider: hexBytes("provider"),
    subscriber: hexBytes("subscriber"),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    blockHash: hexBytes("block_hash").notNull(),
    /** Whether the plan or the forecast is its source, not a log. */
    fromPlan: boolean("from_plan").notNull(),
    /** Whether an event.retracted for it follows. Also true for a retraction itself, which is never retracted. */
    retracted: boolean("retracted").notNull(),
    writtenAt: timestamp("written_at", { withTimezone: true }).notNull(),
    /** The event as readers receive it: JSON text. */
    body: text("body").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.seq] }),
    index("outbox_by_block").on(table.chainId, table.contract, table.blockNumber).where(sql`not retracted`),
  ],
);

/** The counter of each outbox. Its row is locked by every transaction that writes events, as its last lock. */
export const outboxCounters = pgTable(
  "outbox_counters",
  {
    ...ofContract,
    /** Seq of the newest event; 0 before the first. */
    lastSeq: bigint("last_seq", { mode: "number" }).notNull(),
    /** Events up to this seq are pruned. */
    prunedSeq: bigint("pruned_seq", { mode: "number" }).notNull(),
    /** Time of the chain, unix seconds, when payments that will fail were first announced by a release that records the recovered ones; null before. */
    announcedSince: bigint("announced_since", { mode: "number" }),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract] })],
);

/**
 * States whose changes are events, by block: that of the plan, and whether a payment will fail. The row of the highest block is the
 * current one; a rewind deletes the rows above its block, and with them what orphaned blocks had changed.
 */
export const outboxStates = pgTable(
  "outbox_states",
  {
    ...ofContract,
    /** `plan`, `forecast`, or `failing <subscription> <subscriber>`. */
    subject: text("subject").notNull(),
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    blockHash: hexBytes("block_hash").notNull(),
    state: text("state").notNull(),
    writtenAt: timestamp("written_at", { withTimezone: true }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.subject, table.blockNumber] })],
);

/**
 * Charges that passed although they had been announced as failing. Written with their logs, because announcements are pruned: a rebuild
 * keeps these rows, a rewind deletes those above its block.
 */
export const recoveredPayments = pgTable(
  "recovered_payments",
  {
    ...ofContract,
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    /** Index of the log with which the charge begins. */
    logIndex: integer("log_index").notNull(),
    provider: hexBytes("provider").notNull(),
    subscriptionId: hexBytes("subscription_id").notNull(),
    token: hexBytes("token").notNull(),
    /** Day number of the block's time. */
    day: bigint("day", { mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("recovered_payments_by_provider").on(table.chainId, table.contract, table.provider, table.day),
  ],
);
