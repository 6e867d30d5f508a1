import { bigint, doublePrecision, integer, pgTable, primaryKey, smallint, text, timestamp } from "drizzle-orm/pg-core";
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
    /** The same in unix milliseconds, where the node shows them; else null. */
    timestampMs: bigint("timestamp_ms", { mode: "number" }),
    /** The chain's head when the worker last read it. */
    headNumber: bigint("head_number", { mode: "number" }).notNull(),
    /** Unix seconds; null in an index of an earlier release. */
    headTimestamp: bigint("head_timestamp", { mode: "number" }),
    /** When the checkpoint was last moved or found to be still on the chain. */
    confirmedAt: timestamp("confirmed_at", { withTimezone: true }).notNull(),
    /** Speed of a backfill; null once the index is at the head. */
    blocksPerSecond: doublePrecision("blocks_per_second"),
    /**
     * Every block up to this one is final, and its logs were read when it was final, or compared with the chain's since it was safe: a node
     * may serve a younger block before its logs. Null where that is true of no block.
     */
    provenNumber: bigint("proven_number", { mode: "number" }),
    /** The newest safe and final blocks; these five columns are null until the worker has found them out. */
    safeNumber: bigint("safe_number", { mode: "number" }),
    finalNumber: bigint("final_number", { mode: "number" }),
    finalHash: hexBytes("final_hash"),
    /** `tag` or `time`. */
    finalityBy: text("finality_by", { enum: ["tag", "time"] }),
    finalityReadAt: timestamp("finality_read_at", { withTimezone: true }),
    /** Blocks in one request for logs that the nodes accept, as learned by a backfill. */
    rangeBlocks: integer("range_blocks"),
    /** Number of rewinds of the index: a changed number shows that it was rewound meanwhile. */
    rewinds: integer("rewinds").notNull().default(0),
    /** First and last blocks of the stretches that were replaced, as far back as hashes are stored: earlier answers may have been about them. */
    rewoundFrom: bigint("rewound_from", { mode: "number" }).array().notNull().default([]),
    rewoundTo: bigint("rewound_to", { mode: "number" }).array().notNull().default([]),
    /** Why the index can't advance, for operators and clients; null while it does. */
    failure: text("failure"),
    /** `DERIVED_VERSION` that the derived tables are complete for. The worker completes an older index. */
    derivedVersion: integer("derived_version").notNull().default(1),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract] })],
);

/**
 * Hashes of indexed blocks, at most one a second: a row holds those of one minute, and the row of the oldest minute is used again for a
 * new one. A reorganisation is recognised by these hashes and, between two of them, by the block hashes of the stored logs.
 */
export const blockHashes = pgTable(
  "block_hashes",
  {
    ...ofContract,
    slot: smallint("slot").notNull(),
    /** Unix time of the blocks in minutes; -1 while there are none. */
    minute: bigint("minute", { mode: "number" }).notNull(),
    /** `numbers`, `hashes` and `timestamps` have an entry for each block, in the order of the blocks. */
    numbers: bigint("numbers", { mode: "number" }).array().notNull(),
    hashes: hexBytes("hashes").array().notNull(),
    /** Unix seconds. */
    timestamps: bigint("timestamps", { mode: "number" }).array().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.slot] })],
);

/** Minutes whose hashes are kept: `atBlock` promises two hours. */
export const HASH_MINUTES = 150;
