import type { Database } from "../connectDatabase";
import { logTables } from "../eventIndex/copyLogs";
import type { IndexedBlock } from "../eventIndex/indexedLog";
import { preferHashJoins } from "../eventIndex/preferHashJoins";
import { forgetBlocksAbove, recordReplaced } from "../eventIndex/rememberBlocks";
import { underiveAbove } from "../eventIndex/underiveAbove";
import { receiptTables } from "../eventIndex/writeReceipts";
import { retractEventsAbove } from "../outbox/retractEvents";
import { toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { orphanSnapshotsFrom } from "../snapshots/orphanSnapshotsFrom";
import type { Checkpoint } from "./readCheckpoint";

export type Rewind = {
  /** The highest block that the index and the chain have in common. */
  ancestor: IndexedBlock;
  /** The checkpoint when the ancestor was found. */
  seen: Pick<Checkpoint, "number" | "hash">;
  /** The highest block that an answer may have been about, where that is above the checkpoint. */
  highest?: number;
  /** When the reorganisation was found. Default now. */
  now?: Date;
};

/**
 * Removes everything above `ancestor` from the index, marks the snapshots above it as orphaned and retracts the events above
 * it, in one transaction. Nothing above it is safe or final any more.
 *
 * @returns false if `ancestor` is not below the checkpoint, or the checkpoint is not `seen`: another worker was faster
 */
export async function rewindLogs(
  database: Database,
  scope: ContractScope,
  { ancestor, seen, highest = seen.number, now = new Date() }: Rewind,
): Promise<boolean> {
  const { chainId, contract } = scope;
  const { number } = ancestor;
  const hash = toBytes(ancestor.hash);
  return database.run("rewind the index", () =>
    database.sql.begin(async (sql) => {
      // Null stays null.
      const atMost = (column: string) =>
        sql`case when ${sql(column)} > ${number} then ${number} else ${sql(column)} end`;
      const moved = await sql`
        update index_checkpoints set number = ${number}, hash = ${hash}, timestamp = ${ancestor.timestamp},
          timestamp_ms = ${ancestor.timestampMs ?? null},
          proven_number = ${atMost("proven_number")}, safe_number = ${atMost("safe_number")},
          final_number = ${atMost("final_number")},
          final_hash = case when final_number > ${number} then ${hash} else final_hash end, rewinds = rewinds + 1
        where chain_id = ${chainId} and contract = ${contract} and number > ${number}
          and number = ${seen.number} and hash = ${toBytes(seen.hash)}`;
      if (moved.count !== 1) return false;
      await preferHashJoins(sql, true);
      await underiveAbove(sql, scope, number);
      for (const table of [...logTables, ...receiptTables, "recovered_payments"]) {
        await sql`delete from ${sql(table)} where chain_id = ${chainId} and contract = ${contract}
          and block_number > ${number}`;
      }
      await sql`delete from subscription_terms where chain_id = ${chainId} and contract = ${contract}
        and created_block > ${number}`;
      await forgetBlocksAbove(sql, scope, number);
      await recordReplaced(sql, scope, { from: number + 1, to: Math.max(highest, seen.number) });
      await orphanSnapshotsFrom(sql, scope, BigInt(number) + 1n);
      await retractEventsAbove(sql, scope, { block: number, now });
      return true;
    }),
  );
}
