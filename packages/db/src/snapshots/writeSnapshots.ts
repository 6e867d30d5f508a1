import { type SnapshotKind, storedKind } from "@dueday/core/snapshots/snapshot";
import type { TransactionSql } from "postgres";
import type { Database } from "../connectDatabase";
import { lockPlanBlock, type PlanRecord, recordPlanState } from "../outbox/recordState";
import type { snapshots } from "../schema/snapshots";
import type { SnapshotMessage } from "../snapshotChannel";
import { knownSnapshots } from "./knownSnapshots";
import { notifyChanges } from "./notifyChanges";
import { proofsOfSnapshot } from "./proofsOfSnapshot";

/** A stored snapshot of the schema version that this process knows. */
export type Snapshot = Omit<typeof snapshots.$inferSelect, "kind"> & {
  kind: SnapshotKind;
  /**
   * When the content was last proven at the block of its scan or a later one. The block is then that of the proof, not that of the scan.
   * Null where no such proof is stored.
   */
  confirmedAt: Date | null;
};

/** A snapshot to write. */
export type NewSnapshot = Omit<Snapshot, "orphaned" | "confirmedAt">;

/** The columns that identify a snapshot. */
export type SnapshotId = Pick<Snapshot, "chainId" | "contract" | "kind" | "key">;

/**
 * Writes the snapshots of one scan and notifies the listeners, in one transaction. An orphaned snapshot is replaced by any other. A snapshot
 * that is not orphaned is replaced only by one of a higher block, or by one of the same block that was not computed earlier, and never by one
 * below a block at which it was proven. So a job that runs late changes nothing. A snapshot dated in the future, by a worker whose clock was
 * ahead, gives way to any other of its block.
 *
 * @param plan the event of the plan that is one of the snapshots; written with them where the plan's state has changed
 * @returns the snapshots that were written
 */
export async function writeSnapshots(
  database: Database,
  rows: readonly NewSnapshot[],
  plan?: PlanRecord,
): Promise<SnapshotId[]> {
  const [scope] = rows;
  if (scope === undefined) return [];
  return database.run("write snapshots", () =>
    database.sql.begin(async (sql) => {
      const isRecorded = plan !== undefined && (await lockPlanBlock(sql, scope, plan.block));
      const written = await upsert(sql, rows);
      if (isRecorded && written.length > 0) await recordPlanState(sql, scope, plan);
      return knownSnapshots(written);
    }),
  );
}

async function upsert(sql: TransactionSql, rows: readonly NewSnapshot[]): Promise<SnapshotMessage[]> {
  const unordered = rows.map((row) => ({
    chain_id: row.chainId,
    contract: row.contract,
    kind: storedKind(row.kind),
    key: row.key,
    block_number: row.blockNumber.toString(),
    block_hash: row.blockHash,
    block_timestamp: row.blockTimestamp,
    block_timestamp_ms: row.blockTimestampMs,
    computed_at: row.computedAt.toISOString(),
    payload: row.payload,
    hash: row.hash,
    orphaned: false,
  }));
  // Always in the same order: two transactions that lock rows in different orders can deadlock.
  const values = unordered.toSorted((a, b) => (`${a.kind} ${a.key}` < `${b.kind} ${b.key}` ? -1 : 1));
  const written = await sql<{ chain_id: string; contract: string; kind: string; key: string }[]>`
    insert into snapshots ${sql(values)} on conflict (chain_id, contract, kind, key) do update set
      block_number = excluded.block_number, block_hash = excluded.block_hash, block_timestamp = excluded.block_timestamp,
      block_timestamp_ms = excluded.block_timestamp_ms, computed_at = excluded.computed_at, payload = excluded.payload, hash = excluded.hash,
      orphaned = false
    where snapshots.orphaned or (
      (excluded.block_number > snapshots.block_number or (excluded.block_hash = snapshots.block_hash
        and (excluded.computed_at >= snapshots.computed_at or snapshots.computed_at > now())))
      and not exists (select from ${proofsOfSnapshot(sql)} where (p->'block'->>'number')::bigint > excluded.block_number)
    )
    returning chain_id, contract, kind, key`;
  const changes = written.map(({ chain_id, ...rest }) => ({ chainId: Number(chain_id), ...rest }));
  await notifyChanges(sql, changes);
  return changes;
}
