import { storedKinds } from "@dueday/core/snapshots/snapshot";
import { and, eq, inArray } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import type { ContractScope } from "../schema/columns";
import { snapshots } from "../schema/snapshots";
import type { SnapshotContent } from "./confirmSnapshots";
import { knownSnapshots } from "./knownSnapshots";

/** The contents of a contract's snapshots by their hashes; orphaned ones are left out. */
export async function readSnapshotContents(
  database: Database,
  { chainId, contract }: ContractScope,
): Promise<SnapshotContent[]> {
  const rows = await database.run("read the hashes of snapshots", (db) =>
    db
      .select({ kind: snapshots.kind, key: snapshots.key, hash: snapshots.hash })
      .from(snapshots)
      .where(
        and(
          eq(snapshots.chainId, chainId),
          eq(snapshots.contract, contract),
          inArray(snapshots.kind, [...storedKinds]),
          eq(snapshots.orphaned, false),
        ),
      ),
  );
  return knownSnapshots(rows);
}
