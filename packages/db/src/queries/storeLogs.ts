import type { TransactionSql } from "postgres";
import type { Database } from "../connectDatabase";
import { toBytes } from "../index/bytes";
import { copyLogs } from "../index/copyLogs";
import { copyRows } from "../index/copyRows";
import { deriveRange } from "../index/deriveRange";
import type { IndexedBlock, IndexedLog, IndexedToken, SubscriptionTerms } from "../index/indexedLog";
import { preferHashJoins } from "../index/preferHashJoins";
import type { ContractScope } from "../schema/columns";

/** Up to this many logs, look-ups by key are cheaper than reading whole derived tables. */
const FEW_LOGS = 300;

/** Every log after the stored checkpoint (`after`) up to the new one (`checkpoint`). */
export type LogBatch = {
  /** The checkpoint that this batch follows; null for the first batch. */
  after: Pick<IndexedBlock, "number" | "hash"> | null;
  /** The new checkpoint. */
  checkpoint: IndexedBlock;
  /** Blocks of the range whose hashes are known, including the checkpoint. */
  blocks: readonly IndexedBlock[];
  logs: readonly IndexedLog[];
  /** Terms of every subscription created in the range. */
  terms: readonly SubscriptionTerms[];
  /** Tokens that may be new. */
  tokens: readonly IndexedToken[];
  headNumber: number;
  blocksPerSecond: number | null;
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
      if (batch.logs.length === 0) return true;
      await copyLogs(sql, scope, batch.logs);
      await copyRows(
        sql,
        "subscription_terms",
        ["chain_id", "contract", "id", "created_block", "frequency", "due_day"],
        batch.terms.map((terms) => [
          ...[chainId, contract, { hex: terms.id }],
          ...[terms.createdBlock, terms.frequency, terms.dueDay],
        ]),
      );
      for (const { token, symbol, decimals } of batch.tokens) {
        await sql`insert into indexed_tokens values (${chainId}, ${contract}, ${toBytes(token)},
          ${symbol}, ${decimals}) on conflict do nothing`;
      }
      await preferHashJoins(sql, batch.logs.length > FEW_LOGS);
      await deriveRange(sql, scope, {
        from: batch.after === null ? 0 : batch.after.number + 1,
        to: batch.checkpoint.number,
      });
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
  };
  const moved =
    after === null
      ? await sql`insert into index_checkpoints ${sql({ chain_id: scope.chainId, contract: scope.contract, ...row })}
          on conflict do nothing`
      : await sql`update index_checkpoints set ${sql(row)}
          where chain_id = ${scope.chainId} and contract = ${scope.contract} and number = ${after.number}
            and hash = ${toBytes(after.hash)}`;
  return moved.count === 1;
}
