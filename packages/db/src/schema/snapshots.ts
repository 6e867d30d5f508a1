import { bigint, boolean, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { SnapshotProof } from "../confirmationMessage";
import { ofContract } from "./columns";

/** The latest snapshots of the worker, one row for each kind (with its version) and key. */
export const snapshots = pgTable(
  "snapshots",
  {
    ...ofContract,
    /** A `storedKind` of core: the kind and the version of its schema. */
    kind: text("kind").notNull(),
    /** The day number for `due`, else empty. */
    key: text("key").notNull(),
    blockNumber: bigint("block_number", { mode: "bigint" }).notNull(),
    blockHash: text("block_hash").$type<`0x${string}`>().notNull(),
    /** Unix seconds. */
    blockTimestamp: bigint("block_timestamp", { mode: "number" }).notNull(),
    /** The same in unix milliseconds, where the node shows them; else null. */
    blockTimestampMs: bigint("block_timestamp_ms", { mode: "number" }),
    /** When its content was computed. */
    computedAt: timestamp("computed_at", { withTimezone: true }).notNull(),
    /** JSON text as it is served. Not jsonb, which reorders keys and rejects some text that contracts may return. */
    payload: text("payload").notNull(),
    /** Hash of the payload. */
    hash: text("hash").notNull(),
    /** Its block is no longer on the chain, so a snapshot of any block replaces it. */
    orphaned: boolean("orphaned").notNull().default(false),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract, table.kind, table.key] })],
);

/**
 * The later blocks at which the contents of a contract's snapshots were proven, as far as they are stored. One row, written at most once a
 * minute, so that a chain on which nothing happens does not rewrite its snapshots.
 */
export const snapshotConfirmations = pgTable(
  "snapshot_confirmations",
  {
    ...ofContract,
    /** The highest block of `proofs`. */
    blockNumber: bigint("block_number", { mode: "bigint" }).notNull(),
    /** The latest proof of each content. A proof does not apply to a snapshot whose content has changed since. */
    proofs: jsonb("proofs").$type<SnapshotProof[]>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.chainId, table.contract] })],
);
