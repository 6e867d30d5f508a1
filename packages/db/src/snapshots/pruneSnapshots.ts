import { type SnapshotKind, storedKind } from "@dueday/core/snapshots/snapshot";
import { and, eq, notInArray } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshotId, snapshots } from "../schema/snapshots";
import { knownSnapshots } from "./knownSnapshots";
import { notifyChanges } from "./notifyChanges";
import type { SnapshotId } from "./writeSnapshots";

/**
 * Deletes the snapshots of one kind whose key is not in `keep`, e.g. the due lists of past days, and notifies the listeners.
 *
 * @returns the snapshots that were deleted
 */
export async function pruneSnapshots(
  database: Database,
  { chainId, contract, kind, keep }: { chainId: number; contract: string; kind: SnapshotKind; keep: readonly string[] },
): Promise<SnapshotId[]> {
  return database.run("prune snapshots", (db) =>
    db.transaction(async (transaction) => {
      const deleted = await transaction
        .delete(snapshots)
        .where(
          and(
            eq(snapshots.chainId, chainId),
            eq(snapshots.contract, contract),
            eq(snapshots.kind, storedKind(kind)),
            notInArray(snapshots.key, [...keep]),
          ),
        )
        .returning(snapshotId);
      await notifyChanges(transaction, deleted);
      return knownSnapshots(deleted);
    }),
  );
}
