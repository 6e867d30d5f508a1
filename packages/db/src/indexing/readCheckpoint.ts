import type { Finality } from "@dueday/core/finality";
import { and, eq, lt, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import type { IndexedBlock } from "../eventIndex/indexedLog";
import { toBytes } from "../rows/bytes";
import { indexCheckpoints } from "../schema/checkpoints";
import type { ContractScope } from "../schema/columns";

/** What is safe and final of a chain, as the worker last found it. */
export type StoredFinality = Finality & { finalHash: Hex; readAt: Date };

/** The last block whose logs are stored, and the state of the indexer at that block. `timestamp` is in unix seconds. */
export type Checkpoint = Omit<
  typeof indexCheckpoints.$inferSelect,
  "chainId" | "contract" | "timestampMs" | "derivedVersion" | "rewoundFrom" | "rewoundTo" | FinalityColumn
> & {
  /** Null until the worker has found it out. */
  finality: StoredFinality | null;
};

type FinalityColumn = "safeNumber" | "finalNumber" | "finalHash" | "finalityBy" | "finalityReadAt";

/** The checkpoint of a contract; null before the first block was indexed. */
export async function readCheckpoint(database: Database, scope: ContractScope): Promise<Checkpoint | null> {
  const [row] = await database.run("read the checkpoint", (db) =>
    db
      .select({
        number: indexCheckpoints.number,
        hash: indexCheckpoints.hash,
        timestamp: indexCheckpoints.timestamp,
        headNumber: indexCheckpoints.headNumber,
        headTimestamp: indexCheckpoints.headTimestamp,
        confirmedAt: indexCheckpoints.confirmedAt,
        blocksPerSecond: indexCheckpoints.blocksPerSecond,
        provenNumber: indexCheckpoints.provenNumber,
        rangeBlocks: indexCheckpoints.rangeBlocks,
        rewinds: indexCheckpoints.rewinds,
        failure: indexCheckpoints.failure,
        safeNumber: indexCheckpoints.safeNumber,
        finalNumber: indexCheckpoints.finalNumber,
        finalHash: indexCheckpoints.finalHash,
        finalityBy: indexCheckpoints.finalityBy,
        finalityReadAt: indexCheckpoints.finalityReadAt,
      })
      .from(indexCheckpoints)
      .where(ofContract(scope)),
  );
  if (row === undefined) return null;
  const { safeNumber, finalNumber, finalHash, finalityBy, finalityReadAt, ...checkpoint } = row;
  const found = { safeNumber, finalNumber, finalHash, by: finalityBy, readAt: finalityReadAt };
  return { ...checkpoint, finality: isFound(found) ? found : null };
}

/** The columns are written together: either all are null, or none is. */
function isFound(found: { [K in keyof StoredFinality]: StoredFinality[K] | null }): found is StoredFinality {
  return Object.values(found).every((value) => value !== null);
}

/** The columns of what is safe and final, for a statement that writes them. */
export function finalityColumns({ safeNumber, finalNumber, finalHash, by, readAt }: StoredFinality) {
  return {
    safe_number: safeNumber,
    final_number: finalNumber,
    final_hash: toBytes(finalHash),
    finality_by: by,
    finality_read_at: readAt.toISOString(),
  };
}

/** Records that the checkpoint is the chain's head, so that answers from the index count as fresh. */
export async function confirmCheckpoint(
  database: Database,
  scope: ContractScope,
  { hash, confirmedAt }: Pick<Checkpoint, "hash" | "confirmedAt">,
): Promise<void> {
  const { number, timestamp } = indexCheckpoints;
  const head = { headNumber: sql`${number}`, headTimestamp: sql`${timestamp}` };
  await database.run("confirm the checkpoint", (db) =>
    db
      .update(indexCheckpoints)
      .set({ ...head, confirmedAt, blocksPerSecond: null, failure: null })
      .where(and(ofContract(scope), eq(indexCheckpoints.hash, hash))),
  );
}

/**
 * Records what is safe and final, and that the logs up to a block were compared with those of the final chain. A rewind below these
 * blocks lowers both records.
 *
 * @param seen the checkpoint when these facts were read: where it has moved back since, nothing is recorded
 */
export async function recordProof(
  database: Database,
  { chainId, contract }: ContractScope,
  { seen, finality, provenNumber }: ProofRecord,
): Promise<void> {
  await database.run(
    "record what is proven",
    () => database.sql`
      update index_checkpoints set ${database.sql(finalityColumns(finality))}, proven_number = ${provenNumber}
      where chain_id = ${chainId} and contract = ${contract} and number >= ${seen.number} and rewinds = ${seen.rewinds}`,
  );
}

export type ProofRecord = {
  seen: Pick<Checkpoint, "number" | "rewinds">;
  finality: StoredFinality;
  provenNumber: number;
};

/** Records why the index can't advance. The next stored batch or confirmation of the checkpoint removes it. */
export async function recordFailure(database: Database, scope: ContractScope, failure: string): Promise<void> {
  await database.run("record a failure of the index", (db) =>
    db.update(indexCheckpoints).set({ failure }).where(ofContract(scope)),
  );
}

/**
 * Stores the chain's head where it is above the known one, without confirming the checkpoint. It shows how far behind a failing
 * index is.
 */
export async function recordHead(
  database: Database,
  scope: ContractScope,
  head: Pick<IndexedBlock, "number" | "timestamp">,
): Promise<void> {
  await database.run("record the head", (db) =>
    db
      .update(indexCheckpoints)
      .set({ headNumber: head.number, headTimestamp: head.timestamp })
      .where(and(ofContract(scope), lt(indexCheckpoints.headNumber, head.number))),
  );
}

function ofContract({ chainId, contract }: ContractScope) {
  return and(eq(indexCheckpoints.chainId, chainId), eq(indexCheckpoints.contract, contract));
}
