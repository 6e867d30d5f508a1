import { storedKinds } from "@dueday/core/snapshots/snapshot";
import { and, eq, gte, inArray, lt } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshotId, snapshots } from "../schema/snapshots";
import { notifyChanges } from "./notifyChanges";

export type Confirmation = {
  chainId: number;
  contract: string;
  /** Nothing that a snapshot holds has changed after this block, up to `head`. */
  from: bigint;
  head: { number: bigint; hash: string; timestamp: bigint };
  /** Now. */
  confirmedAt: Date;
};

/**
 * Moves the snapshots of `from` and later blocks to `head`, with unchanged content, and notifies the listeners, in one transaction. Earlier
 * and orphaned snapshots are left to the next scan.
 *
 * @returns the number of confirmed snapshots
 */
export async function confirmSnapshots(
  database: Database,
  { chainId, contract, from, head, confirmedAt }: Confirmation,
): Promise<number> {
  return database.run("confirm snapshots", (db) =>
    db.transaction(async (transaction) => {
      const confirmed = await transaction
        .update(snapshots)
        .set({
          blockNumber: head.number,
          blockHash: head.hash,
          blockTimestamp: Number(head.timestamp),
          computedAt: confirmedAt,
        })
        .where(
          and(
            eq(snapshots.chainId, chainId),
            eq(snapshots.contract, contract),
            inArray(snapshots.kind, storedKinds),
            gte(snapshots.blockNumber, from),
            lt(snapshots.blockNumber, head.number),
            eq(snapshots.orphaned, false),
          ),
        )
        .returning(snapshotId);
      await notifyChanges(transaction, confirmed);
      return confirmed.length;
    }),
  );
}
