import { storedKinds } from "@dueday/core/snapshots/snapshot";
import { and, eq, notInArray, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshots } from "../schema/snapshots";

/**
 * Deletes the snapshots of schema versions that this process does not write, if they were neither computed nor confirmed since
 * `before`: a worker of another release may still write them.
 *
 * @returns the number of deleted snapshots
 */
export async function pruneSnapshotVersions(
  database: Database,
  { chainId, contract, before }: { chainId: number; contract: string; before: Date },
): Promise<number> {
  return database.run("prune snapshot versions", async (db) => {
    const deleted = await db
      .delete(snapshots)
      .where(
        and(
          eq(snapshots.chainId, chainId),
          eq(snapshots.contract, contract),
          notInArray(snapshots.kind, [...storedKinds]),
          sql`coalesce(${snapshots.confirmedAt}, ${snapshots.computedAt}) < ${before.toISOString()}`,
        ),
      )
      .returning({ key: snapshots.key });
    return deleted.length;
  });
}
