import type { Database } from "../connectDatabase";
import { toBytes } from "../index/bytes";
import { logTables } from "../index/copyLogs";
import type { IndexedBlock } from "../index/indexedLog";
import { preferHashJoins } from "../index/preferHashJoins";
import { underiveAbove } from "../index/underiveAbove";
import type { ContractScope } from "../schema/columns";
import { SNAPSHOT_CHANNEL } from "../snapshotChannel";

/**
 * Removes everything above `ancestor` from the index and marks the snapshots above it as orphaned, in one transaction.
 *
 * @returns false if `ancestor` is not below the checkpoint or its hash is not stored: another worker was faster
 */
export async function rewindLogs(
  database: Database,
  scope: ContractScope,
  ancestor: Pick<IndexedBlock, "number" | "hash">,
): Promise<boolean> {
  const { chainId, contract } = scope;
  const { number } = ancestor;
  return database.run("rewind the index", () =>
    database.sql.begin(async (sql) => {
      const moved = await sql`
        update index_checkpoints c set number = b.number, hash = b.hash, timestamp = b.timestamp from indexed_blocks b
        where c.chain_id = ${chainId} and c.contract = ${contract} and c.number > ${number}
          and b.chain_id = ${chainId} and b.contract = ${contract} and b.number = ${number}
          and b.hash = ${toBytes(ancestor.hash)}`;
      if (moved.count !== 1) return false;
      await preferHashJoins(sql, true);
      await underiveAbove(sql, scope, number);
      for (const table of logTables) {
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
      return true;
    }),
  );
}
