import { bigint, boolean, index, pgTable, primaryKey, text } from "drizzle-orm/pg-core";
import { hexBytes } from "./hexBytes";
import { logColumns } from "./logColumns";

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
