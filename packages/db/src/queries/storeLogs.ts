import type { TransactionSql } from "postgres";
import type { Database } from "../connectDatabase";
import { toBytes } from "../index/bytes";
import { copyRows } from "../index/copyRows";
import { DERIVED_VERSION } from "../index/deriveRange";
import type { IndexedBlock } from "../index/indexedLog";
import { type NewLogs, writeLogs } from "../index/writeLogs";
import { retractReplacedPlans } from "../outbox/retractEvents";
import type { ContractScope } from "../schema/columns";

/** Every log after the stored checkpoint (`after`) up to the new one (`checkpoint`). */
export type LogBatch = NewLogs & {
  /** The checkpoint that this batch follows; null for the first batch. */
  after: Pick<IndexedBlock, "number" | "hash"> | null;
  /** The new checkpoint. */
  checkpoint: IndexedBlock;
  /** Blocks of the range whose hashes are known, including the checkpoint. */
  blocks: readonly IndexedBlock[];
  headNumber: number;
  blocksPerSecond: number | null;
  /** Every block of the batch was final when its logs were read: they need not be read again. Default false. */
  isFinal?: boolean;
  /** Blocks in one request for logs that the node accepts, as learned so far; by default the stored number stays. */
  rangeBlocks?: number;
  /** The current time. */
  confirmedAt: Date;
};

/**
 * Stores a batch, applies it to the derived tables and moves the checkpoint, in one transaction.
 *
 * @returns false, with nothing stored, if the checkpoint is not `batch.after`: another worker stored or rewound meanwhile
 */
export async function storeLogs(database: Database, scope: ContractScope, batch: LogBatch): Promise<boolean> {
  return database.run("store logs", () =>
    database.sql.begin(async (sql) => {
      if (!(await moveCheckpoint(sql, scope, batch))) return false;
      const { chainId, contract } = scope;
      const blocks = batch.blocks.map(({ number, hash, timestamp }) => [
        ...[chainId, contract, number],
        ...[{ hex: hash }, timestamp],
      ]);
      await copyRows(sql, "indexed_blocks", ["chain_id", "contract", "number", "hash", "timestamp"], blocks);
      const from = batch.after === null ? 0 : batch.after.number + 1;
      const range = { from, to: batch.checkpoint.number };
      await retractReplacedPlans(sql, scope, range, batch.confirmedAt);
      await writeLogs(sql, scope, { ...batch, range });
      return true;
    }),
  );
}

/** Moves the checkpoint, which locks its row: no other transaction writes logs until this one ends. */
async function moveCheckpoint(sql: TransactionSql, scope: ContractScope, batch: LogBatch): Promise<boolean> {
  const { after, checkpoint, headNumber, confirmedAt, blocksPerSecond } = batch;
  const row = {
    number: checkpoint.number,
    hash: toBytes(checkpoint.hash),
    timestamp: checkpoint.timestamp,
    head_number: headNumber,
    confirmed_at: confirmedAt.toISOString(),
    blocks_per_second: blocksPerSecond,
    failure: null,
    ...(batch.rangeBlocks !== undefined && { range_blocks: batch.rangeBlocks }),
  };
  const moved =
    after === null
      ? await sql`insert into index_checkpoints ${sql({
          ...{ chain_id: scope.chainId, contract: scope.contract, ...row },
          proven_number: batch.isFinal === true ? checkpoint.number : null,
          derived_version: DERIVED_VERSION,
        })} on conflict do nothing`
      : await sql`update index_checkpoints set ${sql(row)},
            proven_number = case when ${batch.isFinal === true} and proven_number >= ${after.number}
              then ${checkpoint.number} else proven_number end
          where chain_id = ${scope.chainId} and contract = ${scope.contract} and number = ${after.number}
            and hash = ${toBytes(after.hash)}`;
  return moved.count === 1;
}
