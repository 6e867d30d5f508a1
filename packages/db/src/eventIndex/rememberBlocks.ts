import type { TransactionSql } from "postgres";
import { HASH_MINUTES } from "../schema/checkpoints";
import type { ContractScope } from "../schema/columns";
import type { BlockRange, IndexedBlock } from "./indexedLog";

/** Creates the rows for the hashes of a contract's blocks. Called once, with the contract's first checkpoint. */
export async function createHashSlots(sql: TransactionSql, { chainId, contract }: ContractScope): Promise<void> {
  await sql`insert into block_hashes select ${chainId}, ${contract}, slot, -1, '{}', '{}', '{}'
    from generate_series(0, ${HASH_MINUTES - 1}) slot on conflict do nothing`;
}

/**
 * Stores the hashes of blocks that are not stored yet, thinned to the last one of each second. One statement writes the blocks of one
 * minute.
 */
export async function rememberBlocks(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  blocks: readonly IndexedBlock[],
): Promise<void> {
  for (const [minute, ofMinute] of byMinute(blocks)) {
    const json = JSON.stringify(ofMinute.map((block) => ({ ...block, hash: block.hash.slice(2) })));
    await sql`
      with added as (
        select array_agg(number order by number) as numbers, array_agg(decode(hash, 'hex') order by number) as hashes,
          array_agg(timestamp order by number) as timestamps
        from json_to_recordset(${json}::text::json) as b(number bigint, hash text, timestamp bigint)
      )
      update block_hashes h set minute = ${minute},
        numbers = case when h.minute = ${minute} then h.numbers || a.numbers else a.numbers end,
        hashes = case when h.minute = ${minute} then h.hashes || a.hashes else a.hashes end,
        timestamps = case when h.minute = ${minute} then h.timestamps || a.timestamps else a.timestamps end
      from added a where h.chain_id = ${chainId} and h.contract = ${contract} and h.slot = (
        select slot from block_hashes where chain_id = ${chainId} and contract = ${contract}
        order by minute = ${minute} desc, minute limit 1)`;
  }
}

/**
 * The last block of each second, by minute, oldest first. Where the blocks span two consecutive minutes, all of them count to the later
 * one: a quiet chain is stored once a minute, and would otherwise need two updates each time.
 */
function byMinute(blocks: readonly IndexedBlock[]): [number, IndexedBlock[]][] {
  const bySecond = new Map(blocks.toSorted((a, b) => a.number - b.number).map((block) => [block.timestamp, block]));
  const newest = minuteOf(Math.max(...bySecond.keys()));
  const isShort = newest - minuteOf(Math.min(...bySecond.keys())) <= 1;
  const minutes = Map.groupBy(bySecond.values(), ({ timestamp }) => (isShort ? newest : minuteOf(timestamp)));
  return [...minutes].toSorted(([a], [b]) => a - b).slice(-HASH_MINUTES);
}

function minuteOf(timestamp: number): number {
  return Math.floor(timestamp / 60);
}

/** Forgets the hashes of the blocks above a height. */
export async function forgetBlocksAbove(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  height: number,
): Promise<void> {
  await sql`
    update block_hashes h set minute = case when kept.numbers is null then -1 else h.minute end,
      numbers = coalesce(kept.numbers, '{}'), hashes = coalesce(kept.hashes, '{}'),
      timestamps = coalesce(kept.timestamps, '{}')
    from (
      select slot, array_agg(b.number order by b.number) filter (where b.number <= ${height}) as numbers,
        array_agg(b.hash order by b.number) filter (where b.number <= ${height}) as hashes,
        array_agg(b.timestamp order by b.number) filter (where b.number <= ${height}) as timestamps
      from block_hashes, unnest(numbers, hashes, timestamps) as b(number, hash, timestamp)
      where chain_id = ${chainId} and contract = ${contract} group by slot
    ) kept
    where h.chain_id = ${chainId} and h.contract = ${contract} and h.slot = kept.slot and ${height} < any(h.numbers)`;
}

/**
 * Records that the blocks of a range were replaced, both ends included: earlier answers for one of them are not true for the block that
 * has its number now. Stretches below the stored hashes are dropped, since nothing is answered for them.
 */
export async function recordReplaced(
  sql: TransactionSql,
  { chainId, contract }: ContractScope,
  { from, to }: BlockRange,
): Promise<void> {
  await sql`
    update index_checkpoints c set rewound_from = kept.starts || ${from}::bigint, rewound_to = kept.ends || ${to}::bigint
    from (
      select coalesce(array_agg(r.start), '{}') as starts, coalesce(array_agg(r.end), '{}') as ends
      from index_checkpoints, unnest(rewound_from, rewound_to) as r(start, "end")
      where chain_id = ${chainId} and contract = ${contract} and not (r.start >= ${from} and r.end <= ${to})
        and r.end >= (select coalesce(min(numbers[1]), 0) from block_hashes
          where chain_id = ${chainId} and contract = ${contract})
    ) kept
    where c.chain_id = ${chainId} and c.contract = ${contract}`;
}
