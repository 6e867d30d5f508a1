import type { WithdrawalMessage } from "../confirmationMessage";
import type { Database } from "../connectDatabase";
import { SNAPSHOT_CHANNEL } from "../snapshotChannel";
import { knownSnapshots } from "./knownSnapshots";
import { orphanSnapshotsFrom } from "./orphanSnapshotsFrom";
import type { SnapshotId } from "./writeSnapshots";

/**
 * Marks the snapshots of a contract from a block on as orphaned, in every version, because those blocks are no longer on the chain. The next
 * snapshot of any block replaces them. Confirmations at such blocks that are not stored yet are withdrawn.
 *
 * @returns the snapshots of known versions that were not marked before
 */
export async function markSnapshotsOrphaned(
  database: Database,
  { chainId, contract, fromBlock }: { chainId: number; contract: string; fromBlock: bigint },
): Promise<SnapshotId[]> {
  return database.run("mark snapshots as orphaned", () =>
    database.sql.begin(async (sql) => {
      const marked = await orphanSnapshotsFrom(sql, { chainId, contract }, fromBlock);
      const message: WithdrawalMessage = { chainId, contract, orphanedFrom: fromBlock.toString() };
      await sql`select pg_notify(${SNAPSHOT_CHANNEL}, ${JSON.stringify(message)})`;
      return knownSnapshots(marked);
    }),
  );
}
