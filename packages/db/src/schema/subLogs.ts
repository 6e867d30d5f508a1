import { bigint, index, pgTable, primaryKey, smallint } from "drizzle-orm/pg-core";
import { uint256 } from "./columns";
import { hexBytes } from "./hexBytes";
import { logColumns } from "./logColumns";

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
