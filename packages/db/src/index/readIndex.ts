import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { CoveredHead, IndexScope } from "./coveredHead";
import { DERIVED_VERSION } from "./deriveRange";
import type { IndexedBlock } from "./indexedLog";

/** The state of the index that an answer was read from. */
export type IndexState = {
  /** The answer is true for this block. */
  block: IndexedBlock;
  /** Whether `block` is the checkpoint; false for an earlier block that was requested. */
  isLatest: boolean;
  /** When the checkpoint was last moved or found to be still on the chain. */
  confirmedAt: Date;
  /** The first block whose events were not read, where there is one up to `block`: some events from there on may be missing. */
  unprovenFrom: number | null;
  /** Blocks between the checkpoint and the head that the worker last read. */
  behindBlocks: number;
  /** Whether every derived table is filled; false while the worker completes an index of an earlier release. */
  isComplete: boolean;
};

export type IndexAnswer<T> = { state: IndexState; value: T };

/** Nothing is indexed yet, or the block is above the checkpoint, pruned from `indexed_blocks`, or no longer on the chain. */
export type NoState = "not_indexed" | "unknown_block";

/**
 * Reads from one state of the index, in one repeatable-read transaction: the newest one (`atBlock` null) or that of an
 * earlier block. What a worker writes meanwhile is not visible. The newest is true for the head that the worker announced for this very
 * checkpoint, else for the checkpoint.
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
 * Reads the newest state of tables that an index of an earlier release does not have: `not_indexed` until the worker has completed
 * it.
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
  number: string;
  latest: string;
  latest_hash: Hex;
  hash: string;
  timestamp: string;
  confirmed_ms: number;
  head_number: string;
  derived_version: number;
  unproven_from: string | null;
};

async function readState(
  sql: TransactionSql,
  { chainId, contract, covered }: IndexScope,
  atBlock: number | null,
): Promise<IndexState | NoState> {
  const [row] = await sql<Partial<StateRow>[]>`
    select b.number, c.number as latest, '0x' || encode(c.hash, 'hex') as latest_hash, '0x' || encode(b.hash, 'hex') as hash, b.timestamp, c.head_number,
      c.derived_version,
      (select min(u.from_block) from unproven_ranges u where u.chain_id = c.chain_id and u.contract = c.contract
        and u.from_block <= coalesce(${atBlock}::bigint, c.number)) as unproven_from,
      (extract(epoch from c.confirmed_at) * 1000)::float8 as confirmed_ms
    from index_checkpoints c left join indexed_blocks b on b.chain_id = c.chain_id and b.contract = c.contract
      and b.number = coalesce(${atBlock}::bigint, c.number) and b.number <= c.number
    where c.chain_id = ${chainId} and c.contract = ${contract}`;
  if (row === undefined) return "not_indexed";
  const announced = covered?.() ?? null;
  const beyond = announced?.checkpoint === row.latest_hash ? announced : null;
  const reached = beyond && blockBeyond(beyond, Number(row.latest), atBlock);
  // The left join returns either all columns of the block or none.
  if (row.hash === null && reached === null) return "unknown_block";
  const { number, latest, hash, timestamp, confirmed_ms, head_number, derived_version, unproven_from } =
    row as StateRow;
  return {
    block: reached ?? { number: Number(number), hash: `0x${hash.slice(2)}`, timestamp: Number(timestamp) },
    isLatest: reached !== null || number === latest,
    confirmedAt: beyond?.confirmedAt ?? new Date(confirmed_ms),
    behindBlocks: Number(head_number) - Number(latest),
    unprovenFrom: unproven_from === null ? reached && (beyond?.unprovenFrom ?? null) : Number(unproven_from),
    isComplete: derived_version >= DERIVED_VERSION,
  };
}

/** The announced head, or the requested block where it lies between the checkpoint and that; null for one of the stored blocks. */
function blockBeyond({ head, blockAt }: CoveredHead, checkpoint: number, atBlock: number | null): IndexedBlock | null {
  if (atBlock === null) return head.number >= checkpoint ? head : null;
  return atBlock > checkpoint ? (blockAt(atBlock) ?? null) : null;
}
