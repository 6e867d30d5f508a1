import { sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshotId, snapshots } from "../schema/snapshots";
import { notifyChanges } from "./notifyChanges";

export type Snapshot = typeof snapshots.$inferSelect;

/** A snapshot as the worker hands it in. */
export type NewSnapshot = Omit<Snapshot, "orphaned">;

/** Identity of a snapshot. */
export type SnapshotId = Pick<Snapshot, "chainId" | "contract" | "kind" | "key">;

/**
 * Writes snapshots of one scan, all or none, and tells the listeners in the same transaction. Each replaces what is there only
 * if its block is higher, if it confirms the same block, or if the block of what is there was orphaned: a job that ran twice or
 * late changes nothing.
 *
 * @returns Those that were written; an older one is left out.
 */
export async function writeSnapshots(database: Database, rows: readonly NewSnapshot[]): Promise<SnapshotId[]> {
  if (rows.length === 0) return [];
  // Always in the same order: two writers that took the rows in different orders could wait for each other.
  const ordered = rows.toSorted((a, b) => idOf(a).localeCompare(idOf(b)));
  return database.run("write snapshots", (db) =>
    db.transaction(async (transaction) => {
      const written = await transaction
        .insert(snapshots)
        .values(ordered.map((row) => ({ ...row, orphaned: false })))
        .onConflictDoUpdate({
          target: [snapshots.chainId, snapshots.contract, snapshots.kind, snapshots.key],
          set: {
            blockNumber: sql`excluded.block_number`,
            blockHash: sql`excluded.block_hash`,
            blockTimestamp: sql`excluded.block_timestamp`,
            computedAt: sql`excluded.computed_at`,
            payload: sql`excluded.payload`,
            hash: sql`excluded.hash`,
            orphaned: sql`false`,
          },
          setWhere: sql`excluded.block_number > ${snapshots.blockNumber} or ${snapshots.orphaned}
            or (excluded.block_hash = ${snapshots.blockHash} and excluded.computed_at >= ${snapshots.computedAt})`,
        })
        .returning(snapshotId);
      await notifyChanges(transaction, written);
      return written;
    }),
  );
}

function idOf({ chainId, contract, kind, key }: SnapshotId): string {
  return [chainId, contract, kind, key].join(" ");
}
