import { sql } from "drizzle-orm";
import { bigint, boolean, index, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { hexBytes, logColumns, uint256 } from "./columns";

/** SubLog events. The indexes leave the contract out: an id or address is rarely used by two contracts of one chain. */
export const subLogs = pgTable(
  "sub_logs",
  {
    ...logColumns,
    subscriptionId: hexBytes("subscription_id").notNull(),
    provider: hexBytes("provider").notNull(),
    /** The zero address for Create and Cancel. */
    subscriber: hexBytes("subscriber").notNull(),
    token: hexBytes("token").notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    /** 18 decimals. */
    amount: uint256("amount").notNull(),
    /** SubscriptEvent, 0..9. */
    code: smallint("code").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("sub_logs_by_subscription").on(table.chainId, table.subscriptionId, table.blockNumber, table.logIndex),
    index("sub_logs_by_provider").on(table.chainId, table.provider, table.blockNumber, table.logIndex),
    index("sub_logs_by_subscriber").on(table.chainId, table.subscriber, table.blockNumber, table.logIndex),
    // Without these indexes, a filter by a code that is not a payment would read all payments in between.
    index("sub_logs_rare_by_subscription")
      .on(table.chainId, table.subscriptionId, table.code, table.blockNumber, table.logIndex)
      .where(sql`code not in (2, 5)`),
    index("sub_logs_rare_by_provider")
      .on(table.chainId, table.provider, table.code, table.blockNumber, table.logIndex)
      .where(sql`code not in (2, 5)`),
  ],
);

/** DetailsLog events. Texts are cleaned and cut at the limit; `raw` is the unchanged data of the log. */
export const detailsLogs = pgTable(
  "details_logs",
  {
    ...logColumns,
    subscriptionId: hexBytes("subscription_id").notNull(),
    provider: hexBytes("provider").notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    url: text("url").notNull(),
    description: text("description").notNull(),
    truncated: boolean("truncated").notNull(),
    raw: hexBytes("raw").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("details_logs_by_subscription").on(table.chainId, table.subscriptionId, table.blockNumber, table.logIndex),
  ],
);

/** ProvDetailsLog events. Texts are cleaned and cut at the limit; `raw` is the unchanged data of the log. */
export const providerDetailsLogs = pgTable(
  "provider_details_logs",
  {
    ...logColumns,
    provider: hexBytes("provider").notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    description: text("description").notNull(),
    company: text("company").notNull(),
    url: text("url").notNull(),
    domain: text("domain").notNull(),
    email: text("email").notNull(),
    misc: text("misc").notNull(),
    truncated: boolean("truncated").notNull(),
    raw: hexBytes("raw").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("provider_details_logs_by_provider").on(table.chainId, table.provider, table.blockNumber, table.logIndex),
  ],
);

/** CallerLog events: a call of remit() closed a day (`isFinished`) or stopped at a page break within it. */
export const callerLogs = pgTable(
  "caller_logs",
  {
    ...logColumns,
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    checkedDay: bigint("checked_day", { mode: "number" }).notNull(),
    caller: hexBytes("caller").notNull(),
    isFinished: boolean("is_finished").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("caller_logs_by_caller").on(table.chainId, table.caller, table.blockNumber, table.logIndex),
    index("caller_logs_by_day").on(table.chainId, table.contract, table.checkedDay, table.blockNumber, table.logIndex),
  ],
);

/** Coordinates events: one for each payment that remit() handled, failed ones included. */
export const coordinatesLogs = pgTable(
  "coordinates_logs",
  {
    ...logColumns,
    subscriptionId: hexBytes("subscription_id").notNull(),
    subscriberIndex: uint256("subscriber_index").notNull(),
    subscriptionIndex: uint256("subscription_index").notNull(),
    frequency: uint256("frequency").notNull(),
    nextUncheckedDay: bigint("next_unchecked_day", { mode: "number" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("coordinates_logs_by_day").on(
      table.chainId,
      table.contract,
      table.nextUncheckedDay,
      table.blockNumber,
      table.logIndex,
    ),
  ],
);
