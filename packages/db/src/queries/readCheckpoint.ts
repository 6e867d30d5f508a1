import { and, eq, lt, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { indexCheckpoints } from "../schema/checkpoints";
import type { ContractScope } from "../schema/columns";

/** The last block whose logs are stored, and the state of the indexer at that block. `timestamp` is in unix seconds. */
export type Checkpoint = Omit<typeof indexCheckpoints.$inferSelect, "chainId" | "contract">;

/** The checkpoint of a contract; null before the first block was indexed. */
export async function readCheckpoint(database: Database, scope: ContractScope): Promise<Checkpoint | null> {
  const [row] = await database.run("read the checkpoint", (db) =>
    db
      .select({
        number: indexCheckpoints.number,
        hash: indexCheckpoints.hash,
        timestamp: indexCheckpoints.timestamp,
        headNumber: indexCheckpoints.headNumber,
        confirmedAt: indexCheckpoints.confirmedAt,
        blocksPerSecond: indexCheckpoints.blocksPerSecond,
      })
      .from(indexCheckpoints)
      .where(ofContract(scope)),
  );
  return row ?? null;
}

/** Records that the checkpoint is still on the chain, so that answers from the index count as fresh. */
export async function confirmCheckpoint(
  database: Database,
  scope: ContractScope,
  { hash, headNumber, confirmedAt }: Pick<Checkpoint, "hash" | "headNumber" | "confirmedAt">,
): Promise<void> {
  await database.run("confirm the checkpoint", (db) =>
    db
      .update(indexCheckpoints)
      .set({
        headNumber: sql`greatest(${headNumber}, ${indexCheckpoints.number})`,
        confirmedAt,
        blocksPerSecond: null,
      })
      .where(and(ofContract(scope), eq(indexCheckpoints.hash, hash))),
  );
}

/** Stores the chain's head where it is above the known one, without confirming the checkpoint: how far a failing index is behind. */
export async function recordHead(database: Database, scope: ContractScope, headNumber: number): Promise<void> {
  await database.run("record the head", (db) =>
    db
      .update(indexCheckpoints)
      .set({ headNumber })
      .where(and(ofContract(scope), lt(indexCheckpoints.headNumber, headNumber))),
  );
}

function ofContract({ chainId, contract }: ContractScope) {
  return and(eq(indexCheckpoints.chainId, chainId), eq(indexCheckpoints.contract, contract));
}
