import { type SnapshotKind, storedKind, storedKinds } from "@dueday/core/snapshots/snapshot";
import { and, eq, inArray } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { snapshots } from "../schema/snapshots";
import { knownSnapshots } from "./knownSnapshots";
import type { Snapshot } from "./writeSnapshots";

export type SnapshotFilter = {
  chainId: number;
  contract: string;
  kind?: SnapshotKind;
  keys?: readonly string[];
};

/**
 * The snapshots of a contract, optionally of one kind and some keys, read in one statement: only those of the schema
 * versions that this process knows. Includes orphaned ones, which are marked.
 */
export async function readSnapshots(database: Database, filter: SnapshotFilter): Promise<Snapshot[]> {
  const rows = await database.run("read snapshots", (db) =>
    db
      .select()
      .from(snapshots)
      .where(
        and(
          eq(snapshots.chainId, filter.chainId),
          eq(snapshots.contract, filter.contract),
          inArray(snapshots.kind, filter.kind === undefined ? [...storedKinds] : [storedKind(filter.kind)]),
          filter.keys === undefined ? undefined : inArray(snapshots.key, [...filter.keys]),
        ),
      )
      .orderBy(snapshots.kind, snapshots.key),
  );
  return knownSnapshots(rows);
}
