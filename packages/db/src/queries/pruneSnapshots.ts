import { and, eq, notInArray } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshotId, snapshots } from "../schema/snapshots";
import { notifyChanges } from "./notifyChanges";
import type { SnapshotId } from "./writeSnapshots";

/**
 * Drops the snapshots of one kind that are no longer renewed, e.g. the due lists of days that were left behind, and tells the
 * listeners.
 *
 * @returns Those that were dropped.
 */
export async function pruneSnapshots(
  database: Database,
  { chainId, contract, kind, keep }: { chainId: number; contract: string; kind: string; keep: readonly string[] },
): Promise<SnapshotId[]> {
  return database.run("prune snapshots", (db) =>
    db.transaction(async (transaction) => {
      const dropped = await transaction
        .delete(snapshots)
        .where(
          and(
            eq(snapshots.chainId, chainId),
            eq(snapshots.contract, contract),
            eq(snapshots.kind, kind),
            notInArray(snapshots.key, [...keep]),
          ),
        )
        .returning(snapshotId);
      await notifyChanges(transaction, dropped);
      return dropped;
    }),
  );
}
