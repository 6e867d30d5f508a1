import { and, eq, lt, sql } from "drizzle-orm";
import type { Database } from "../connectDatabase";
import { indexCheckpoints } from "../schema/checkpoints";
import type { ContractScope } from "../schema/columns";

/** The last block whose logs are stored, and the state of the indexer at that block. `timestamp` is in unix seconds. */
export type Checkpoint = Omit<typeof indexCheckpoints.$inferSelect, "chainId" | "contract" | "derivedVersion">;

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
        provenNumber: indexCheckpoints.provenNumber,
        rangeBlocks: indexCheckpoints.rangeBlocks,
        failure: indexCheckpoints.failure,
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
        failure: null,
      })
      .where(and(ofContract(scope), eq(indexCheckpoints.hash, hash))),
  );
}

/** Records that the logs up to a block were compared with those of the final chain. A rewind below it takes it back. */
export async function recordProof(database: Database, scope: ContractScope, provenNumber: number): Promise<void> {
  await database.run("record what is proven", (db) =>
    db
      .update(indexCheckpoints)
      .set({ provenNumber: sql`least(${provenNumber}::bigint, ${indexCheckpoints.number})` })
      .where(ofContract(scope)),
  );
}

/** Records why the index can't advance. The next batch that is stored removes it. */
export async function recordFailure(database: Database, scope: ContractScope, failure: string): Promise<void> {
  await database.run("record a failure of the index", (db) =>
    db.update(indexCheckpoints).set({ failure }).where(ofContract(scope)),
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
