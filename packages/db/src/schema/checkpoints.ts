import { bigint, doublePrecision, integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import { hexBytes, ofContract } from "./columns";

/** The checkpoint of the event index: every log up to this block is stored. A transaction that writes logs locks this row. */
export const indexCheckpoints = pgTable(
  "index_checkpoints",
  {
    ...ofContract,
    number: bigint("number", { mode: "number" }).notNull(),
    hash: hexBytes("hash").notNull(),
    /** Unix seconds. */
    timestamp: bigint("timestamp", { mode: "number" }).notNull(),
    /** The chain's head when the worker last read it. */
    headNumber: bigint("head_number", { mode: "number" }).notNull(),
    /** When the checkpoint was last moved or found to be still on the chain. */
    confirmedAt: timestamp("confirmed_at", { withTimezone: true }).notNull(),
    /** Speed of a backfill; null once the index is at the head. */
    blocksPerSecond: doublePrecision("blocks_per_second"),
    /**
     * Up to this block, the logs were read when their block was final already, or once more since then. Null where none were: a
     * node may serve a block before its logs.
     */
    provenNumber: bigint("proven_number", { mode: "number" }),
    /** Blocks in one request for logs that the nodes accept, as learned by a backfill. */
    rangeBlocks: integer("range_blocks"),
    /** Why the index can't advance, for operators and clients; null while it does. */
    failure: text("failure"),
    /** `DERIVED_VERSION` that the derived tables are complete for. The worker completes an older index. */
    derivedVersion: integer("derived_version").notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract] })],
);

/**
 * Hashes of indexed blocks: every block near the head, and the last block of each earlier range. Used to detect a
 * reorganisation.
 */
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
