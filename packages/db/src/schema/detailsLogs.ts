import { bigint, boolean, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { hexBytes } from "./hexBytes";
import { logColumns } from "./logColumns";

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
