import { type SnapshotKind, storedKind } from "@dueday/core/snapshots/snapshot";
import type { Database } from "../connectDatabase";
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
  return database.run("prune snapshots", () =>
    database.sql.begin(async (sql) => {
      const rows = await sql<{ kind: string; key: string }[]>`
        delete from snapshots where chain_id = ${chainId} and contract = ${contract} and kind = ${storedKind(kind)}
          and key <> all(${[...keep]}) returning kind, key`;
      const deleted = rows.map((row) => ({ chainId, contract, ...row }));
      await notifyChanges(sql, deleted);
      return knownSnapshots(deleted);
    }),
  );
}
