import { bigint, doublePrecision, pgTable, primaryKey, timestamp } from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/** How far the event index is: every log up to this block is in it. Whoever writes logs holds this row. */
export const indexCheckpoints = pgTable(
  "index_checkpoints",
  {
    ...ofContract,
    number: bigint("number", { mode: "number" }).notNull(),
    hash: hexBytes("hash").notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    /** The chain's head when the worker last looked. */
    headNumber: bigint("head_number", { mode: "number" }).notNull(),
    /** When the checkpoint was last moved, or seen to be still on the chain. */
    confirmedAt: timestamp("confirmed_at", { withTimezone: true }).notNull(),
    /** While catching up, else null. */
    blocksPerSecond: doublePrecision("blocks_per_second"),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract] })],
);

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
