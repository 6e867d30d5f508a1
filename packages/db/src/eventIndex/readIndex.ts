import type { Finality } from "@dueday/core/finality";
import type { TransactionSql } from "postgres";
import type { Database } from "../connectDatabase";
import { fromBytes } from "../rows/bytes";
import type { CoveredHead, IndexScope } from "./coveredHead";
import { DERIVED_VERSION } from "./deriveRange";
import type { IndexedBlock } from "./indexedLog";

/** The state of the index that an answer was read from. */
export type IndexState = {
  /** The answer is true for this block. `hash` and `timestamp` are null where they are not stored. */
  block: IndexedBlock | { number: number; hash: null; timestamp: null };
  /** The newest block that the index is true for. */
  latest: IndexedBlock;
  /** Whether `block` is the checkpoint or a later block; false for an earlier block that was requested. */
  isLatest: boolean;
  /** When `latest` was announced; without an announcement, when the checkpoint was last moved or found to be still on the chain. */
  confirmedAt: Date;
  /** The first block whose events were not read, where there is one up to `block`: some events from there on may be missing. */
  unprovenFrom: number | null;
  /** Seconds between the checkpoint and the head that the worker last read; 0 where `latest` was announced. */
  behindSeconds: number;
  /** What is safe and final; null until the worker has found it out. */
  finality: Finality | null;
  /** Whether every derived table is filled; false while the worker completes an index of an earlier release. */
  isComplete: boolean;
};

export type IndexAnswer<T> = { state: IndexState; value: T };

/**
 * Nothing is indexed yet, or the block is above `latest`, older than the stored hashes (two hours at least), or in a stretch that a
 * reorganisation has replaced since: earlier answers for it may have been about the replaced blocks.
 */
export type NoState = "not_indexed" | "unknown_block";

/**
 * Reads from one state of the index, in one repeatable-read transaction: the newest one (`atBlock` null) or that of an earlier block.
 * What a worker writes meanwhile is not visible. The newest state is true for the head that the worker announced for this checkpoint,
 * or for the checkpoint where none was announced.
 */
export async function readIndex<T>(
  database: Database,
  scope: IndexScope,
  atBlock: number | null,
  read: (sql: TransactionSql, state: IndexState) => Promise<T>,
): Promise<IndexAnswer<T> | NoState> {
  return database.run("read the index", () =>
    database.sql.begin("isolation level repeatable read read only", async (sql) => {
      const state = await readState(sql, scope, atBlock);
      return typeof state === "string" ? state : { state, value: await read(sql, state) };
    }),
  );
}

/**
 * Reads the newest state of tables that an index of an earlier release does not have. Returns `not_indexed` until the worker has
 * completed such an index.
 */
export async function readCompleteIndex<T>(
  database: Database,
  scope: IndexScope,
  read: (sql: TransactionSql, state: IndexState) => Promise<T>,
): Promise<IndexAnswer<T> | NoState> {
  const found = await readIndex(database, scope, null, async (sql, state) =>
    state.isComplete ? { read: await read(sql, state) } : null,
  );
  if (typeof found === "string") return found;
  return found.value === null ? "not_indexed" : { state: found.state, value: found.value.read };
}

type StateRow = {
  number: number;
  hash: Uint8Array;
  timestamp: number;
  timestamp_ms: number | null;
  earlier_hash: Uint8Array | null;
  earlier_timestamp: number | null;
  confirmed_ms: number;
  behind_seconds: number | null;
  derived_version: number;
  unproven_from: number | null;
  safe: number | null;
  final: number | null;
  finality_by: "tag" | "time" | null;
  /** The requested block is not older than the oldest stored hash, and was not replaced. */
  is_unchanged: boolean;
};

async function readState(
  sql: TransactionSql,
  { chainId, contract, covered }: IndexScope,
  atBlock: number | null,
): Promise<IndexState | NoState> {
  const [row] = await sql<StateRow[]>`
    select c.number::float8 as number, c.hash, c.timestamp::float8 as timestamp, c.timestamp_ms::float8 as timestamp_ms,
      b.hash as earlier_hash, b.timestamp::float8 as earlier_timestamp,
      (extract(epoch from c.confirmed_at) * 1000)::float8 as confirmed_ms,
      (c.head_timestamp - c.timestamp)::float8 as behind_seconds, c.derived_version,
      (select min(u.from_block) from unproven_ranges u where u.chain_id = c.chain_id and u.contract = c.contract
        and u.from_block <= coalesce(${atBlock}::bigint, c.number))::float8 as unproven_from,
      c.safe_number::float8 as safe, c.final_number::float8 as final, c.finality_by,
      ${atBlock}::bigint is null or (
        ${atBlock} >= (select min(h.numbers[1]) from block_hashes h
          where h.chain_id = c.chain_id and h.contract = c.contract)
        and not exists (select from unnest(c.rewound_from, c.rewound_to) as r(start, "end")
          where ${atBlock} between r.start and r.end)) as is_unchanged
    from index_checkpoints c left join lateral (
      select n.hash, n.timestamp from block_hashes h, unnest(h.numbers, h.hashes, h.timestamps) as n(number, hash, timestamp)
      where h.chain_id = c.chain_id and h.contract = c.contract and n.number = ${atBlock} limit 1) b on true
    where c.chain_id = ${chainId} and c.contract = ${contract}`;
  if (row === undefined) return "not_indexed";
  const { timestamp_ms, confirmed_ms, behind_seconds, derived_version, safe, final, finality_by } = row;
  const stored = {
    number: row.number,
    hash: fromBytes(row.hash),
    timestamp: row.timestamp,
    ...(timestamp_ms !== null && { timestampMs: timestamp_ms }),
  };
  const announced = covered?.() ?? null;
  const beyond = announced?.checkpoint === stored.hash && announced.head.number >= stored.number ? announced : null;
  const latest = beyond?.head ?? stored;
  const number = atBlock ?? latest.number;
  if (!row.is_unchanged || number > latest.number) return "unknown_block";
  const announcedUnproven = beyond?.unprovenFrom ?? null;
  return {
    block: atBlock === null ? latest : blockAt(atBlock, { stored, beyond, row }),
    latest,
    isLatest: atBlock === null || atBlock >= stored.number,
    confirmedAt: beyond?.confirmedAt ?? new Date(confirmed_ms),
    unprovenFrom:
      row.unproven_from ?? (announcedUnproven !== null && announcedUnproven <= number ? announcedUnproven : null),
    behindSeconds: beyond === null ? Math.max(0, behind_seconds ?? 0) : 0,
    finality:
      safe === null || final === null || finality_by === null
        ? null
        : { safeNumber: safe, finalNumber: final, by: finality_by },
    isComplete: derived_version >= DERIVED_VERSION,
  };
}

/** A block by its number, with its hash where that is stored or was announced since. */
function blockAt(
  number: number,
  { stored, beyond, row }: { stored: IndexedBlock; beyond: CoveredHead | null; row: StateRow },
): IndexState["block"] {
  if (number === stored.number) return stored;
  const { earlier_hash: hash, earlier_timestamp: timestamp } = row;
  if (hash !== null && timestamp !== null) return { number, hash: fromBytes(hash), timestamp };
  return beyond?.blockAt(number) ?? { number, hash: null, timestamp: null };
}
