import type { Database } from "../connectDatabase";
import { toBytes } from "../index/bytes";
import { logTables } from "../index/copyLogs";
import type { IndexedBlock } from "../index/indexedLog";
import { preferHashJoins } from "../index/preferHashJoins";
import { underiveAbove } from "../index/underiveAbove";
import { receiptTables } from "../index/writeReceipts";
import { retractEventsAbove } from "../outbox/retractEvents";
import type { ContractScope } from "../schema/columns";
import { SNAPSHOT_CHANNEL } from "../snapshotChannel";

/**
 * Removes everything above `ancestor` from the index, marks the snapshots above it as orphaned and retracts its events, in one
 * transaction.
 *
 * @param now when the reorganisation was found
 * @returns false if `ancestor` is not below the checkpoint or its hash is not stored: another worker was faster
 */
export async function rewindLogs(
  database: Database,
  scope: ContractScope,
  ancestor: Pick<IndexedBlock, "number" | "hash">,
  now: Date = new Date(),
): Promise<boolean> {
  const { chainId, contract } = scope;
  const { number } = ancestor;
  return database.run("rewind the index", () =>
    database.sql.begin(async (sql) => {
      const moved = await sql`
        update index_checkpoints c set number = b.number, hash = b.hash, timestamp = b.timestamp,
          proven_number = case when c.proven_number < b.number then c.proven_number
            when c.proven_number is not null then b.number end from indexed_blocks b
        where c.chain_id = ${chainId} and c.contract = ${contract} and c.number > ${number}
          and b.chain_id = ${chainId} and b.contract = ${contract} and b.number = ${number}
          and b.hash = ${toBytes(ancestor.hash)}`;
      if (moved.count !== 1) return false;
      await preferHashJoins(sql, true);
      await underiveAbove(sql, scope, number);
      for (const table of [...logTables, ...receiptTables]) {
        await sql`delete from ${sql(table)} where chain_id = ${chainId} and contract = ${contract}
          and block_number > ${number}`;
      }
      await sql`delete from subscription_terms where chain_id = ${chainId} and contract = ${contract}
        and created_block > ${number}`;
      await sql`delete from indexed_blocks where chain_id = ${chainId} and contract = ${contract} and number > ${number}`;
      await sql`
        with marked as (
          update snapshots set orphaned = true where chain_id = ${chainId} and contract = ${contract}
            and block_number > ${number} and not orphaned returning chain_id, contract, kind, key
        )
        select pg_notify(${SNAPSHOT_CHANNEL}, json_build_object('chainId', chain_id, 'contract', contract, 'kind', kind,
          'key', key)::text) from marked`;
      await retractEventsAbove(sql, scope, { block: number, now });
      return true;
    }),
  );
}
