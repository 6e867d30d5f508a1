import type { TransactionSql } from "postgres";
import type { Database } from "../connectDatabase";
import { DERIVED_VERSION } from "../eventIndex/deriveRange";
import type { IndexedBlock } from "../eventIndex/indexedLog";
import { createHashSlots, rememberBlocks } from "../eventIndex/rememberBlocks";
import { retractReplacedPlans } from "../outbox/retractEvents";
import { toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";
import { applyNewLogs } from "./applyNewLogs";
import { copyNewLogs, type NewLogs } from "./copyNewLogs";
import { finalityColumns, type StoredFinality } from "./readCheckpoint";

/** Every log after the stored checkpoint (`after`) up to the new one (`checkpoint`). */
export type LogBatch = NewLogs & {
  /** The checkpoint that this batch follows; null for the first batch. */
  after: Pick<IndexedBlock, "number" | "hash"> | null;
  /** The new checkpoint. */
  checkpoint: IndexedBlock;
  /** Blocks after `after` whose hashes are known, including the checkpoint. */
  blocks: readonly IndexedBlock[];
  headNumber: number;
  /** Unix seconds. */
  headTimestamp?: number;
  /** What is safe and final, where it was found out; by default the stored values stay. */
  finality?: StoredFinality | null;
  blocksPerSecond: number | null;
  /** Every block of the batch was final when its logs were read: they need not be read again. Default false. */
  isFinal?: boolean;
  /** Blocks up to this one are proven by now; by default it follows from `isFinal`. */
  provenNumber?: number;
  /** Blocks in one request for logs that the node accepts, as learned so far; by default the stored number stays. */
  rangeBlocks?: number;
  /** The current time. */
  confirmedAt: Date;
};

/** What consecutive blocks of a batch add to tables that nothing reads before the batch is applied. */
export type BatchPart = Pick<LogBatch, "logs" | "terms" | "events">;

/** A batch that grows while the one before it is stored. */
export type OpenBatch = {
  /** Whether the batch before was stored; that batch has already called its `onTurn`. */
  before: Promise<boolean>;
  /** Copies the parts of the batch in their order and returns the whole batch, usually when `before` is settled. */
  collect: (copy: (part: BatchPart) => Promise<void>) => Promise<LogBatch>;
  /** Called when the checkpoint is locked, after the batch before was committed: from then on the next batch may begin. */
  onTurn: () => void;
};

/** Thrown to roll back a transaction whose batch does not follow the stored checkpoint. */
class NotNext extends Error {}

/**
 * Stores a batch, applies it to the derived tables and moves the checkpoint, in one transaction.
 *
 * @returns false, with nothing stored, if the checkpoint is not `batch.after`: another worker stored or rewound meanwhile
 */
export async function storeLogs(database: Database, scope: ContractScope, batch: LogBatch): Promise<boolean> {
  return inTransaction(database, async (sql) => {
    await lockCheckpoint(sql, scope, batch);
    await copyNewLogs(sql, scope, batch);
    await apply(sql, scope, batch);
  });
}

/**
 * Stores a batch like `storeLogs`, but copies its parts while the batch before is applied on another connection. The parts are not
 * visible yet: everything else waits until the batch before is committed. If that fails, nothing of this batch is stored.
 */
export async function storeLogsAhead(
  database: Database,
  scope: ContractScope,
  { before, collect, onTurn }: OpenBatch,
): Promise<boolean> {
  return inTransaction(database, async (sql) => {
    const batch = await collect((part) => copyNewLogs(sql, scope, part));
    if (!(await before)) throw new NotNext();
    await lockCheckpoint(sql, scope, batch);
    onTurn();
    await apply(sql, scope, batch);
  });
}

async function inTransaction(database: Database, store: (sql: TransactionSql) => Promise<void>): Promise<boolean> {
  return database.run("store logs", async () => {
    try {
      // What the batch before wrote has to be visible, though this transaction may have begun earlier.
      await database.sql.begin("isolation level read committed", store);
      return true;
    } catch (error) {
      if (error instanceof NotNext) return false;
      throw error;
    }
  });
}

/** Applies a batch whose parts are copied. */
async function apply(sql: TransactionSql, scope: ContractScope, batch: LogBatch): Promise<void> {
  const from = batch.after === null ? 0 : batch.after.number + 1;
  const range = { from, to: batch.checkpoint.number };
  if (batch.after === null) await createHashSlots(sql, scope);
  await rememberBlocks(sql, scope, batch.blocks);
  await retractReplacedPlans(sql, scope, batch.blocks, batch.confirmedAt);
  await applyNewLogs(sql, scope, { ...batch, range });
}

/**
 * Moves the checkpoint, which locks its row: no other transaction writes logs until this one ends.
 *
 * @throws NotNext if the checkpoint is not `batch.after`
 */
async function lockCheckpoint(sql: TransactionSql, scope: ContractScope, batch: LogBatch): Promise<void> {
  const { after, checkpoint, headNumber, confirmedAt, blocksPerSecond } = batch;
  const row = {
    number: checkpoint.number,
    hash: toBytes(checkpoint.hash),
    timestamp: checkpoint.timestamp,
    timestamp_ms: checkpoint.timestampMs ?? null,
    head_number: headNumber,
    head_timestamp: batch.headTimestamp ?? null,
    confirmed_at: confirmedAt.toISOString(),
    blocks_per_second: blocksPerSecond,
    failure: null,
    ...(batch.finality != null && finalityColumns(batch.finality)),
    ...(batch.rangeBlocks !== undefined && { range_blocks: batch.rangeBlocks }),
  };
  const moved =
    after === null
      ? await sql`insert into index_checkpoints ${sql({
          chain_id: scope.chainId,
          contract: scope.contract,
          ...row,
          proven_number: batch.isFinal === true ? checkpoint.number : null,
          derived_version: DERIVED_VERSION,
        })} on conflict do nothing`
      : await sql`update index_checkpoints set ${sql(row)},
            proven_number = coalesce(${batch.provenNumber ?? null}::bigint,
              case when ${batch.isFinal === true} and proven_number >= ${after.number}
                then ${checkpoint.number}::bigint end, proven_number)
          where chain_id = ${scope.chainId} and contract = ${scope.contract} and number = ${after.number}
            and hash = ${toBytes(after.hash)}`;
  if (moved.count !== 1) throw new NotNext();
}
