import { and, eq, gte, sql } from "drizzle-orm";
import type { WithdrawalMessage } from "../confirmationMessage";
import type { Database } from "../connectDatabase";
import { snapshotId, snapshots } from "../schema/snapshots";
import { SNAPSHOT_CHANNEL } from "../snapshotChannel";
import { knownSnapshots } from "./knownSnapshots";
import { notifyChanges } from "./notifyChanges";
import type { SnapshotId } from "./writeSnapshots";

/**
 * Marks the snapshots of a contract from a block on as orphaned, in every version, because those blocks are no longer on the chain. The next
 * snapshot of any block replaces them. What was confirmed at such a block and not stored yet is withdrawn.
 *
 * @returns the snapshots of known versions that were not marked before
 */
export async function markSnapshotsOrphaned(
  database: Database,
  { chainId, contract, fromBlock }: { chainId: number; contract: string; fromBlock: bigint },
): Promise<SnapshotId[]> {
  return database.run("mark snapshots as orphaned", (db) =>
    db.transaction(async (transaction) => {
      const marked = await transaction
        .update(snapshots)
        .set({ orphaned: true })
        .where(
          and(
            eq(snapshots.chainId, chainId),
            eq(snapshots.contract, contract),
            gte(snapshots.blockNumber, fromBlock),
            eq(snapshots.orphaned, false),
          ),
        )
        .returning(snapshotId);
      await notifyChanges(transaction, marked);
      const message: WithdrawalMessage = { chainId, contract, orphanedFrom: fromBlock.toString() };
      await transaction.execute(sql`select pg_notify(${SNAPSHOT_CHANNEL}, ${JSON.stringify(message)})`);
      return knownSnapshots(marked);
    }),
  );
}
