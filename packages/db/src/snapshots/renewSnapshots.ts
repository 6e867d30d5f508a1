import { storedKind } from "@dueday/core/snapshots/snapshot";
import type { Database } from "../connectDatabase";
import { currentState, lockPlanBlock, PLAN, type PlanRecord, recordPlanState } from "../outbox/recordState";
import type { ContractScope } from "../schema/columns";
import { confirmSnapshots } from "./confirmSnapshots";
import { type NewSnapshot, writeSnapshots } from "./writeSnapshots";

/**
 * Stores the snapshots of one scan: those with a new content are written, the others are confirmed at its block. All rows are of one
 * contract and block.
 *
 * @param plan the event of the plan among them, written where the plan's state has changed
 * @returns whether one had a new content
 */
export async function renewSnapshots(
  database: Database,
  rows: readonly NewSnapshot[],
  plan?: PlanRecord,
): Promise<boolean> {
  const [scope] = rows;
  if (scope === undefined) return false;
  const { chainId, contract, blockNumber, blockHash, blockTimestamp, blockTimestampMs, computedAt } = scope;
  const known = await database.run("compare snapshots", () =>
    database.sql.begin(async (sql) => {
      const found = await sql<{ name: string }[]>`
        select kind || ' ' || key || ' ' || hash as name from snapshots
        where chain_id = ${chainId} and contract = ${contract} and block_number <= ${blockNumber.toString()}
          and not orphaned`;
      const state = plan && (await currentState(sql, scope, PLAN));
      return { names: new Set(found.map(({ name }) => name)), state };
    }),
  );
  const isKnown = (row: NewSnapshot) => known.names.has(`${storedKind(row.kind)} ${row.key} ${row.hash}`);
  const changed = rows.filter((row) => !isKnown(row));
  if (changed.length > 0) await writeSnapshots(database, changed, plan);
  // The event of an unchanged plan is still missing where the index had no checkpoint when the plan was written.
  else if (plan !== undefined && known.state?.state !== plan.event.type) await recordPlan(database, scope, plan);
  await confirmSnapshots(database, {
    chainId,
    contract,
    confirmedAt: computedAt,
    block: {
      number: blockNumber,
      hash: blockHash,
      timestamp: BigInt(blockTimestamp),
      timestampMs: blockTimestampMs ?? undefined,
    },
    snapshots: rows.filter((row) => !changed.includes(row)),
  });
  return changed.length > 0;
}

async function recordPlan(database: Database, scope: ContractScope, plan: PlanRecord): Promise<void> {
  await database.run("record the state of the plan", () =>
    database.sql.begin(async (sql) => {
      if (await lockPlanBlock(sql, scope, plan.block)) await recordPlanState(sql, scope, plan);
    }),
  );
}
