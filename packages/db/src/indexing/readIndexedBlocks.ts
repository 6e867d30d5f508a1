import type { Database } from "../connectDatabase";
import { logTables } from "../eventIndex/copyLogs";
import type { BlockRange, IndexedBlock } from "../eventIndex/indexedLog";
import { fromBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

/** Blocks whose hashes the index stores, highest first; `from` and `to` are included. There may be other blocks between two of them. */
export async function readIndexedBlocks(
  database: Database,
  { chainId, contract }: ContractScope,
  { from = 0, to = Number.MAX_SAFE_INTEGER, limit }: Partial<BlockRange> & { limit: number },
): Promise<Pick<IndexedBlock, "number" | "hash">[]> {
  const rows = await database.run(
    "read indexed blocks",
    () => database.sql<{ number: number; hash: Uint8Array }[]>`
      select number::float8 as number, hash from (
        select b.number, b.hash from block_hashes, unnest(numbers, hashes) as b(number, hash)
        where chain_id = ${chainId} and contract = ${contract}
        union
        select number, hash from index_checkpoints where chain_id = ${chainId} and contract = ${contract}
        union
        select final_number, final_hash from index_checkpoints
        where chain_id = ${chainId} and contract = ${contract} and final_number <= number
      ) known
      where number between ${from} and ${to} order by number desc limit ${limit}`,
  );
  return rows.map(({ number, hash }) => ({ number, hash: fromBytes(hash) }));
}

/** The blocks of a range that have stored logs, lowest first; `from` and `to` are included. */
export async function readLogBlocks(
  database: Database,
  { chainId, contract }: ContractScope,
  { from, to, limit }: BlockRange & { limit: number },
): Promise<Pick<IndexedBlock, "number" | "hash">[]> {
  const { sql } = database;
  const tables = logTables.map(
    (table) => sql`select block_number as number, block_hash as hash from ${sql(table)}
      where chain_id = ${chainId} and contract = ${contract} and block_number between ${from} and ${to}`,
  );
  const all = tables.reduce((before, table) => sql`${before} union ${table}`);
  const rows = await database.run(
    "read blocks of logs",
    () => sql<{ number: number; hash: Uint8Array }[]>`
      select number::float8 as number, hash from (${all}) blocks order by number limit ${limit}`,
  );
  return rows.map(({ number, hash }) => ({ number, hash: fromBytes(hash) }));
}
