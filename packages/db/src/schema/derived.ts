import { sql } from "drizzle-orm";
import { bigint, boolean, index, integer, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { anyInteger, hexBytes, ofContract, uint256 } from "./columns";

/** Derived from the logs: one row for each subscription ever created, as of the checkpoint. */
export const subscriptions = pgTable(
  "subscriptions",
  {
    ...ofContract,
    id: hexBytes("id").notNull(),
    createdBlock: bigint("created_block", { mode: "number" }).notNull(),
    createdLogIndex: integer("created_log_index").notNull(),
    provider: hexBytes("provider").notNull(),
    token: hexBytes("token").notNull(),
    /** 18 decimals. */
    amount: uint256("amount").notNull(),
    frequency: smallint("frequency").notNull(),
    dueDay: integer("due_day").notNull(),
    /** Null until it is cancelled. */
    cancelledBlock: bigint("cancelled_block", { mode: "number" }),
    /** The latest details; null before the first. */
    url: text("url"),
    description: text("description"),
    detailsTruncated: boolean("details_truncated"),
    activeSubscribers: integer("active_subscribers").notNull().default(0),
    /** Number of its SubLog events. */
    logCount: bigint("log_count", { mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.id] }),
    // With cancelled_block as the last column, a search counts and pages by the index alone.
    index("subscriptions_by_age").on(
      table.chainId,
      table.contract,
      table.createdBlock,
      table.createdLogIndex,
      table.cancelledBlock,
    ),
    index("subscriptions_by_provider").on(
      table.chainId,
      table.contract,
      table.provider,
      table.createdBlock,
      table.createdLogIndex,
      table.cancelledBlock,
    ),
    index("subscriptions_by_token").on(
      table.chainId,
      table.contract,
      table.token,
      table.createdBlock,
      table.createdLogIndex,
      table.cancelledBlock,
    ),
    index("subscriptions_by_frequency").on(
      table.chainId,
      table.contract,
      table.frequency,
      table.createdBlock,
      table.createdLogIndex,
      table.cancelledBlock,
    ),
    index("subscriptions_cancelled")
      .on(table.chainId, table.contract, table.createdBlock, table.createdLogIndex, table.cancelledBlock)
      .where(sql`cancelled_block is not null`),
  ],
);

/** Derived from the logs: accounts that ever subscribed or unsubscribed (the contract lets a stranger unsubscribe too). */
export const memberships = pgTable(
  "memberships",
  {
    ...ofContract,
    subscriptionId: hexBytes("subscription_id").notNull(),
    subscriber: hexBytes("subscriber").notNull(),
    active: boolean("active").notNull(),
    /** Block of the last event that subscribed or unsubscribed the account. */
    changedBlock: bigint("changed_block", { mode: "number" }).notNull(),
    /** Block and day number of the first event that subscribed it, which was its first charge; null where there is none. */
    joinedBlock: bigint("joined_block", { mode: "number" }),
    joinedDay: bigint("joined_day", { mode: "number" }),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.subscriptionId, table.subscriber] }),
    index("memberships_by_change").on(table.chainId, table.subscriptionId, table.changedBlock),
    index("memberships_by_subscriber").on(table.chainId, table.subscriber),
  ],
);

/** Derived from the logs: number of SubLog events of an account, by its role in them and by their code. */
export const activityCounters = pgTable(
  "activity_counters",
  {
    ...ofContract,
    account: hexBytes("account").notNull(),
    /** 0 provider, 1 subscriber, 2 both at once (such an event counts in 0 and 1 as well). */
    role: smallint("role").notNull(),
    code: smallint("code").notNull(),
    count: bigint("count", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.account, table.role, table.code] })],
);

/** Derived from the logs: the latest profile of each provider. */
export const providerProfiles = pgTable(
  "provider_profiles",
  {
    ...ofContract,
    provider: hexBytes("provider").notNull(),
    description: text("description").notNull(),
    company: text("company").notNull(),
    url: text("url").notNull(),
    domain: text("domain").notNull(),
    email: text("email").notNull(),
    misc: text("misc").notNull(),
    truncated: boolean("truncated").notNull(),
    updatedBlock: bigint("updated_block", { mode: "number" }).notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.provider] })],
);

/**
 * Derived from the logs and from `removal_refunds`: what was charged and refunded on each UTC day, for each account and token. A charge
 * is in it once for its provider and once for its subscriber. `docs/events.md` has the table from log pattern to charge.
 */
export const dailyMoney = pgTable(
  "daily_money",
  {
    ...ofContract,
    account: hexBytes("account").notNull(),
    /** 0 provider, 1 subscriber. */
    role: smallint("role").notNull(),
    /** Day number of the block's time. */
    day: bigint("day", { mode: "number" }).notNull(),
    token: hexBytes("token").notNull(),
    /** By charges: what the provider received, or what the subscriber paid, its fee balance included. Token units, as all sums. */
    paid: anyInteger("paid").notNull(),
    /** Whole amounts of charges that failed. */
    failed: anyInteger("failed").notNull(),
    /** Fee balances paid to the provider, or back to the subscriber. */
    refunded: anyInteger("refunded").notNull(),
    charges: bigint("charges", { mode: "number" }).notNull(),
    failures: bigint("failures", { mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({
      columns: [table.chainId, table.contract, table.account, table.role, table.day, table.token],
    }),
  ],
);

/**
 * What happened on a UTC day. A membership is one account in one subscription; it is active from the event that subscribes it until it
 * leaves, is removed, fails to pay, or the subscription is cancelled.
 */
const dayColumns = {
  /** Day number of the block's time. */
  day: bigint("day", { mode: "number" }).notNull(),
  /** Memberships that became active for the first time, and again. */
  joined: integer("joined").notNull().default(0),
  reactivated: integer("reactivated").notNull().default(0),
  /** Memberships that ended: by the subscriber, by a failed charge, by the provider. */
  left: integer("left").notNull().default(0),
  failed: integer("failed").notNull().default(0),
  removed: integer("removed").notNull().default(0),
  charges: bigint("charges", { mode: "number" }).notNull().default(0),
  failures: bigint("failures", { mode: "number" }).notNull().default(0),
  /** Whole charges, in token units. */
  charged: anyInteger("charged").notNull().default("0"),
  /** What the provider received by charges and by fee balances, in token units. */
  net: anyInteger("net").notNull().default("0"),
};

/** Derived from the logs: the days of each provider and token, with the recurring revenue of the memberships that began and ended. */
export const providerDays = pgTable(
  "provider_days",
  {
    ...ofContract,
    provider: hexBytes("provider").notNull(),
    token: hexBytes("token").notNull(),
    ...dayColumns,
    /** Recurring revenue a month, in twelfths of token units. */
    mrrJoined: anyInteger("mrr_joined").notNull().default("0"),
    mrrReactivated: anyInteger("mrr_reactivated").notNull().default("0"),
    mrrLeft: anyInteger("mrr_left").notNull().default("0"),
    mrrFailed: anyInteger("mrr_failed").notNull().default("0"),
    mrrRemoved: anyInteger("mrr_removed").notNull().default("0"),
  },
  (table) => [
    primaryKey({
      name: "provider_days_pk",
      columns: [table.chainId, table.contract, table.provider, table.token, table.day],
    }),
  ],
);

/** Derived from the logs: the days of each subscription. Its recurring revenue follows from its terms. */
export const planDays = pgTable(
  "plan_days",
  {
    ...ofContract,
    provider: hexBytes("provider").notNull(),
    subscriptionId: hexBytes("subscription_id").notNull(),
    ...dayColumns,
  },
  (table) => [
    primaryKey({
      name: "plan_days_pk",
      columns: [table.chainId, table.contract, table.provider, table.subscriptionId, table.day],
    }),
  ],
);

/**
 * Derived from the logs: the memberships of each provider and token by the month of their first charge, and what they did in each month. A
 * month is 12 x year + month, from 0 for January.
 */
export const cohortMonths = pgTable(
  "cohort_months",
  {
    ...ofContract,
    provider: hexBytes("provider").notNull(),
    token: hexBytes("token").notNull(),
    cohort: integer("cohort").notNull(),
    month: integer("month").notNull(),
    /** Memberships of the cohort: they join in its own month. */
    joined: integer("joined").notNull().default(0),
    /** Active memberships at the end of the month, less those at its start. */
    activeChange: integer("active_change").notNull().default(0),
    charges: bigint("charges", { mode: "number" }).notNull().default(0),
    /** Whole charges, in token units. */
    charged: anyInteger("charged").notNull().default("0"),
  },
  (table) => [
    primaryKey({
      name: "cohort_months_pk",
      columns: [table.chainId, table.contract, table.provider, table.token, table.cohort, table.month],
    }),
  ],
);

/** Derived from the logs: one row for each transaction that called remit(). */
export const remits = pgTable(
  "remits",
  {
    ...ofContract,
    blockNumber: bigint("block_number", { mode: "number" }).notNull(),
    /** Index of its last CallerLog, within the block. */
    logIndex: integer("log_index").notNull(),
    transactionHash: hexBytes("transaction_hash").notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    /** The caller of remit(). */
    keeper: hexBytes("keeper").notNull(),
    /** Day numbers, in order; empty where it stopped at a page break before it had closed a day. */
    closedDays: bigint("closed_days", { mode: "number" }).array().notNull(),
    /** Payments that it handled, failed ones included. */
    payments: integer("payments").notNull(),
    failures: integer("failures").notNull(),
    /** Seconds from midnight UTC of the oldest day whose payments the transaction settled. */
    lagSeconds: bigint("lag_seconds", { mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("remits_by_keeper").on(table.chainId, table.contract, table.keeper, table.blockNumber, table.logIndex),
    index("remits_by_time").on(table.chainId, table.contract, table.timestamp, table.blockNumber),
  ],
);
