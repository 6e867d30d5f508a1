import { bigint, pgTable, primaryKey } from "drizzle-orm/pg-core";
import { ofContract } from "./columns";
import { hexBytes } from "./hexBytes";

/** Hashes that the index stands on: every block near the head, and the last of each range before. A reorg shows here. */
export const indexedBlocks = pgTable(
  "indexed_blocks",
  {
    ...ofContract,
    number: bigint("number", { mode: "number" }).notNull(),
    hash: hexBytes("hash").notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.number] })],
);
