import { type SnapshotKind, storedKind } from "@dueday/core/snapshots/snapshot";
import { sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshotId, snapshots } from "../schema/snapshots";
import { knownSnapshots } from "./knownSnapshots";
import { notifyChanges } from "./notifyChanges";

/** A stored snapshot of the schema version that this process knows. */
export type Snapshot = Omit<typeof snapshots.$inferSelect, "kind"> & { kind: SnapshotKind };

/** A snapshot to write. */
export type NewSnapshot = Omit<Snapshot, "orphaned">;

/** The columns that identify a snapshot. */
export type SnapshotId = Pick<Snapshot, "chainId" | "contract" | "kind" | "key">;

/**
 * Writes the snapshots of one scan and notifies the listeners, in one transaction. A snapshot replaces a stored one only if its
 * block is higher, if it confirms the same block, or if the stored one is orphaned. So a job that runs twice or late changes nothing.
 * A confirmation dated in the future, by a worker whose clock was ahead, gives way to any other of its block.
 *
 * @returns the snapshots that were written
 */
export async function writeSnapshots(database: Database, rows: readonly NewSnapshot[]): Promise<SnapshotId[]> {
  if (rows.length === 0) return [];
  // Always in the same order: two writers that lock rows in different orders can deadlock.
  const ordered = rows.toSorted((a, b) => idOf(a).localeCompare(idOf(b)));
  return database.run("write snapshots", (db) =>
    db.transaction(async (transaction) => {
      const written = await transaction
        .insert(snapshots)
        .values(ordered.map((row) => ({ ...row, kind: storedKind(row.kind), orphaned: false })))
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
            or (excluded.block_hash = ${snapshots.blockHash}
              and (excluded.computed_at >= ${snapshots.computedAt} or ${snapshots.computedAt} > now()))`,
        })
        .returning(snapshotId);
      await notifyChanges(transaction, written);
      return knownSnapshots(written);
    }),
  );
}

function idOf({ chainId, contract, kind, key }: SnapshotId): string {
  return [chainId, contract, kind, key].join(" ");
}
