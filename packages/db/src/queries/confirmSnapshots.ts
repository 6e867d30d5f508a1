import { type SnapshotKind, storedKind } from "@dueday/core/snapshots/snapshot";
import type { TransactionSql } from "postgres";
import type { ConfirmationMessage } from "../confirmationMessage";
import { shortHash } from "../confirmationMessage";
import type { Database } from "../connectDatabase";
import { SNAPSHOT_CHANNEL } from "../snapshotChannel";

/** A snapshot by its place and the hash of its content. */
export type SnapshotContent = { kind: SnapshotKind; key: string; hash: string };

export type Confirmation = {
  chainId: number;
  contract: string;
  /** The block at which the content of `snapshots` was proven. */
  block: { number: bigint; hash: string; timestamp: bigint; timestampMs?: number | undefined };
  /** Now. */
  confirmedAt: Date;
  snapshots: readonly SnapshotContent[];
};

/** A row is moved to the proven block when its last move is at least this old: an idle chain writes once a minute. */
const STORE_EVERY_MS = 60_000;

/**
 * Announces that the contents of snapshots hold at a later block. The rows follow at most once a minute, so that a process that starts
 * later knows it too. A row whose content is another by now, or that is orphaned, is left alone.
 */
export async function confirmSnapshots(database: Database, confirmation: Confirmation): Promise<void> {
  if (confirmation.snapshots.length === 0) return;
  await database.run("confirm snapshots", () => database.sql.begin((sql) => confirmIn(sql, confirmation)));
}

/** `confirmSnapshots` as a part of a transaction. */
export async function confirmIn(
  sql: TransactionSql,
  { chainId, contract, block, confirmedAt, snapshots }: Confirmation,
): Promise<void> {
  const named = snapshots.map(({ kind, key, hash }) => ({ kind: storedKind(kind), key, hash }));
  await sql`
    update snapshots s set block_number = ${block.number.toString()}, block_hash = ${block.hash},
      block_timestamp = ${block.timestamp.toString()}, block_timestamp_ms = ${block.timestampMs ?? null},
      confirmed_at = ${confirmedAt.toISOString()}
    from json_to_recordset(${JSON.stringify(named)}::json) as n(kind text, key text, hash text)
    where s.chain_id = ${chainId} and s.contract = ${contract} and s.kind = n.kind and s.key = n.key and s.hash = n.hash
      and s.block_number < ${block.number.toString()} and not s.orphaned
      and abs(extract(epoch from ${confirmedAt.toISOString()}::timestamptz - coalesce(s.confirmed_at, s.computed_at)))
        >= ${STORE_EVERY_MS / 1000}`;
  const message: ConfirmationMessage = {
    ...{ chainId, contract, confirmedAt: confirmedAt.toISOString() },
    block: {
      number: block.number.toString(),
      hash: block.hash,
      timestamp: Number(block.timestamp),
      ...(block.timestampMs !== undefined && { timestampMs: block.timestampMs }),
    },
    snapshots: named.map(({ kind, key, hash }) => [kind, key, shortHash(hash)]),
  };
  await sql`select pg_notify(${SNAPSHOT_CHANNEL}, ${JSON.stringify(message)})`;
}
