import { bigint, boolean, index, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { uint256 } from "./columns";
import { hexBytes } from "./hexBytes";
import { logColumns } from "./logColumns";

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
