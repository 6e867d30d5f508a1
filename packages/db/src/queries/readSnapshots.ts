import { and, eq, inArray } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshots } from "../schema/snapshots";
import type { Snapshot } from "./writeSnapshots";

export type SnapshotFilter = {
  chainId: number;
  contract: string;
  kind?: string;
  keys?: readonly string[];
};

/**
 * The snapshots of a contract, optionally of one kind and some keys, read in one statement. Includes orphaned ones, which
 * are marked.
 */
export async function readSnapshots(database: Database, filter: SnapshotFilter): Promise<Snapshot[]> {
  return database.run("read snapshots", (db) =>
    db
      .select()
      .from(snapshots)
      .where(
        and(
          eq(snapshots.chainId, filter.chainId),
          eq(snapshots.contract, filter.contract),
          filter.kind === undefined ? undefined : eq(snapshots.kind, filter.kind),
          filter.keys === undefined ? undefined : inArray(snapshots.key, [...filter.keys]),
        ),
      )
      .orderBy(snapshots.kind, snapshots.key),
  );
}
