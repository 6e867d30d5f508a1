import type { Database } from "../connectDatabase";
import { derivedTables, deriveRange } from "../index/deriveRange";
import { preferHashJoins } from "../index/preferHashJoins";
import type { ContractScope } from "../schema/columns";

/**
 * Makes the derived tables anew from the logs, in one transaction: readers see the old ones until it ends, and no log is
 * stored meanwhile. Give the database a deadline that fits its size.
 *
 * @returns the block up to which logs were carried over; null when nothing is indexed yet.
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
      return checkpoint.number;
    }),
  );
}
