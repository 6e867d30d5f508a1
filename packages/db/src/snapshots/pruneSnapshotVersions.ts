import { storedKinds } from "@dueday/core/snapshots/snapshot";
import type { Database } from "../connectDatabase";
import { proofsOfSnapshot } from "./proofsOfSnapshot";

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
  return database.run("prune snapshot versions", async () => {
    const { sql } = database;
    const deleted = await sql`
      delete from snapshots
      where chain_id = ${chainId} and contract = ${contract} and kind <> all(${[...storedKinds]})
        and computed_at < ${before.toISOString()} and not exists (
          select from ${proofsOfSnapshot(sql)} where (p->>'confirmedAt')::timestamptz >= ${before.toISOString()}
        )`;
    return deleted.count;
  });
}
