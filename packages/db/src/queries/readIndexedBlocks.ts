import { and, desc, eq, gte, lt, lte, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import type { IndexedBlock } from "../index/indexedLog";
import { indexedBlocks } from "../schema/checkpoints";
import type { ContractScope } from "../schema/columns";

/** Blocks whose hashes the index stores, highest first; `from` and `to` are included. */
export async function readIndexedBlocks(
  database: Database,
  scope: ContractScope,
  { from = 0, to = Number.MAX_SAFE_INTEGER, limit }: { from?: number; to?: number; limit: number },
): Promise<IndexedBlock[]> {
  return database.run("read indexed blocks", (db) =>
    db
      .select({ number: indexedBlocks.number, hash: indexedBlocks.hash, timestamp: indexedBlocks.timestamp })
      .from(indexedBlocks)
      .where(and(ofContract(scope), gte(indexedBlocks.number, from), lte(indexedBlocks.number, to)))
      .orderBy(desc(indexedBlocks.number))
      .limit(limit),
  );
}

/**
 * Deletes the blocks below a height, except the lowest of all and every thousandth, so that a rewind of any depth finds a
 * common block.
 */
export async function pruneIndexedBlocks(database: Database, scope: ContractScope, below: number): Promise<void> {
  const lowest = sql`(select min(number) from indexed_blocks
    where chain_id = ${scope.chainId} and contract = ${scope.contract})`;
  await database.run("prune indexed blocks", (db) =>
    db
      .delete(indexedBlocks)
      .where(
        and(
          ofContract(scope),
          lt(indexedBlocks.number, below),
          sql`${indexedBlocks.number} > ${lowest}`,
          sql`${indexedBlocks.number} % 1000 <> 0`,
        ),
      ),
  );
}

function ofContract({ chainId, contract }: ContractScope) {
  return and(eq(indexedBlocks.chainId, chainId), eq(indexedBlocks.contract, contract));
}
