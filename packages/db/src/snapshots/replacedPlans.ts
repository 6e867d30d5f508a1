import type { Database } from "../connectDatabase";
import type { BlockRange, IndexedBlock } from "../eventIndex/indexedLog";
import { retractReplacedPlans } from "../outbox/retractEvents";
import type { ContractScope } from "../schema/columns";

/**
 * The heights of a range, both ends included, at which a state of a plan or a forecast was written. Heights and not hashes, because the hashes of
 * these blocks are seldom stored.
 */
export async function readPlanHeights(
  database: Database,
  { chainId, contract }: ContractScope,
  { from, to }: BlockRange,
): Promise<number[]> {
  const rows = await database.run(
    "read the blocks of plans",
    () => database.sql<{ number: number }[]>`
      select distinct block_number::float8 as number from outbox_states
      where chain_id = ${chainId} and contract = ${contract} and block_number between ${from} and ${to}`,
  );
  return rows.map(({ number }) => number);
}

/** Retracts what plans and forecasts of other blocks have written at the heights of these blocks. */
export async function retractPlansOfOthers(
  database: Database,
  scope: ContractScope,
  blocks: readonly Pick<IndexedBlock, "number" | "hash">[],
  now: Date,
): Promise<void> {
  await database.run("retract plans", () =>
    database.sql.begin(async (sql) => {
      await sql`select from index_checkpoints where chain_id = ${scope.chainId} and contract = ${scope.contract} for update`;
      await retractReplacedPlans(sql, scope, blocks, now);
    }),
  );
}
