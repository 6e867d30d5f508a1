import { and, eq, gte, lte, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import type { BlockRange } from "../eventIndex/indexedLog";
import type { ContractScope } from "../schema/columns";
import { unprovenRanges } from "../schema/unproven";

/** Marks blocks whose events were not read. Call this before the checkpoint moves past them. */
export async function recordUnproven(database: Database, scope: ContractScope, range: BlockRange): Promise<void> {
  const { from, to } = range;
  await database.run("mark unproven blocks", (db) =>
    db.transaction(async (transaction) => {
      const extended = await transaction
        .update(unprovenRanges)
        .set({ toBlock: sql`greatest(${unprovenRanges.toBlock}, ${to}::bigint)` })
        .where(and(ofContract(scope), lte(unprovenRanges.fromBlock, from), gte(unprovenRanges.toBlock, from - 1)))
        .returning({ fromBlock: unprovenRanges.fromBlock });
      if (extended.length > 0) return;
      const { chainId, contract } = scope;
      await transaction.insert(unprovenRanges).values({ chainId, contract, fromBlock: from, toBlock: to });
    }),
  );
}

/** The blocks whose events were not read, lowest first. */
export async function readUnprovenRanges(database: Database, scope: ContractScope): Promise<BlockRange[]> {
  return database.run("read unproven blocks", (db) =>
    db
      .select({ from: unprovenRanges.fromBlock, to: unprovenRanges.toBlock })
      .from(unprovenRanges)
      .where(ofContract(scope))
      .orderBy(unprovenRanges.fromBlock),
  );
}

/** Removes the marks of the range that begins at `from`, up to `to`: these blocks were compared with the chain. */
export async function recordProven(database: Database, scope: ContractScope, { from, to }: BlockRange): Promise<void> {
  await database.run("mark proven blocks", (db) =>
    db.transaction(async (transaction) => {
      const [removed] = await transaction
        .delete(unprovenRanges)
        .where(and(ofContract(scope), eq(unprovenRanges.fromBlock, from)))
        .returning({ toBlock: unprovenRanges.toBlock });
      if (removed === undefined || removed.toBlock <= to) return;
      const { chainId, contract } = scope;
      const rest = { chainId, contract, fromBlock: to + 1, toBlock: removed.toBlock };
      await transaction.insert(unprovenRanges).values(rest);
    }),
  );
}

function ofContract({ chainId, contract }: ContractScope) {
  return and(eq(unprovenRanges.chainId, chainId), eq(unprovenRanges.contract, contract));
}
