import { type SnapshotKind, storedKind } from "@dueday/core/snapshots/snapshot";
import type { Database } from "../connectDatabase";
import { knownSnapshots } from "./knownSnapshots";
import { notifyChanges } from "./notifyChanges";
import type { SnapshotId } from "./writeSnapshots";

/**
 * Deletes the snapshots of one kind whose key is not in `keep`, e.g. the due lists of past days, and notifies the listeners. Locks the rows in
 * the order of `writeSnapshots`.
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
        with old as materialized (
          select kind, key from snapshots where chain_id = ${chainId} and contract = ${contract} and kind = ${storedKind(kind)}
            and key <> all(${[...keep]})
          order by key collate "C" for update
        )
        delete from snapshots s using old
        where s.chain_id = ${chainId} and s.contract = ${contract} and s.kind = old.kind and s.key = old.key
        returning s.kind, s.key`;
      const deleted = rows.map((row) => ({ chainId, contract, ...row }));
      await notifyChanges(sql, deleted);
      return knownSnapshots(deleted);
    }),
  );
}
