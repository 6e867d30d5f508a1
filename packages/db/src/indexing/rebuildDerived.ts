import type { Database } from "../connectDatabase";
import { DERIVED_VERSION, derivedTables, deriveRange } from "../eventIndex/deriveRange";
import { preferHashJoins } from "../eventIndex/preferHashJoins";
import type { ContractScope } from "../schema/columns";
import { unreadReceipts } from "./completeIndex";

/**
 * Rebuilds the derived tables from the logs, in one transaction: readers see the old rows until it commits, and no log is
 * stored meanwhile. The deadline of `database` must fit the size of the index. An index of an earlier release is complete afterwards,
 * unless receipts are missing, which only the worker can read.
 *
 * @returns the last block whose logs were applied; null if nothing is indexed yet
 */
export async function rebuildDerived(database: Database, scope: ContractScope): Promise<number | null> {
  const { chainId, contract } = scope;
  return database.run("rebuild the derived tables", () =>
    database.sql.begin(async (sql) => {
      const [checkpoint] = await sql<{ number: number }[]>`select number::float8 as number from index_checkpoints
        where chain_id = ${chainId} and contract = ${contract} for update`;
      if (checkpoint === undefined) return null;
      for (const table of derivedTables) {
        await sql`delete from ${sql(table)} where chain_id = ${chainId} and contract = ${contract}`;
      }
      await preferHashJoins(sql, true);
      await deriveRange(sql, scope, { from: 0, to: checkpoint.number });
      if ((await unreadReceipts(sql, scope, 1)).length === 0) {
        await sql`update index_checkpoints set derived_version = ${DERIVED_VERSION}
          where chain_id = ${chainId} and contract = ${contract}`;
      }
      return checkpoint.number;
    }),
  );
}
