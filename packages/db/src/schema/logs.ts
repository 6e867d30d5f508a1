import { bigint, boolean, index, pgTable, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { hexBytes, logColumns, uint256 } from "./columns";

/** SubLog events. Ids and addresses hardly ever repeat over contracts of one chain, so the indexes go without the contract. */
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
  ],
);

/** DetailsLog events. Texts are clean, and cut at the limit; `raw` is the log's data as it came. */
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

/** ProvDetailsLog events. Texts are clean, and cut at the limit; `raw` is the log's data as it came. */
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

/** CallerLog events: a day closed, or a page of it, and who called remit(). */
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
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] })],
);

/** Coordinates events: each payment that remit() handled. The last one leads to the private checkpoint. */
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
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] })],
);

/** UList events: subscribers put on an id's unsubscribed list instead of leaving its set. */
export const uListLogs = pgTable(
  "u_list_logs",
  {
    ...logColumns,
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    subscriptionId: hexBytes("subscription_id").notNull(),
    subscriber: hexBytes("subscriber").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.chainId, table.contract, table.blockNumber, table.logIndex] }),
    index("u_list_logs_by_subscription").on(table.chainId, table.subscriptionId, table.blockNumber),
  ],
);
