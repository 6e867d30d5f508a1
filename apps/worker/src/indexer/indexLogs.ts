import { ServiceError } from "@dueday/core/errors";
import type { BlockRange, IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import {
  type Checkpoint,
  confirmCheckpoint,
  readCheckpoint,
  recordFailure,
  recordHead,
} from "@dueday/db/indexing/readCheckpoint";
import { readIndexedBlocks } from "@dueday/db/indexing/readIndexedBlocks";
import { storeLogs } from "@dueday/db/indexing/storeLogs";
import { backfill } from "./backfill";
import { catchUp } from "./catchUp";
import { type Header, readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { goneBlocks, rewind } from "./rewind";

/** A confirmation of an unchanged checkpoint is not written again within this time. */
const CONFIRM_AFTER_MS = 500;

/** What a pass of the indexer has read. */
export type IndexPass = {
  /** Ranges of final blocks were stored, so the statistics of PostgreSQL's query planner may be out of date. */
  hasReadRanges: boolean;
  /** Blocks whose logs the node may not have had yet: from the first request on that contained a block that was just made; null where there are none. */
  young: BlockRange | null;
};

/**
 * Brings the index to the chain's head, from the stored checkpoint on: final blocks side by side, later ones in ranges that are linked to
 * each other. Idempotent, and safe to end anywhere: each step is one transaction that continues from the one before.
 *
 * @param knownHead The head, where it was read just now.
 */
export async function indexLogs(
  context: IndexContext,
  signal: AbortSignal,
  knownHead: Header | null = null,
): Promise<IndexPass> {
  const { chain, chainData, database } = context;
  const pass: IndexPass = { hasReadRanges: false, young: null };
  for (let step: Step = "again", head = knownHead; step !== "done" && !signal.aborted; head = null) {
    head ??= await readHeader(chainData.rpc, "latest");
    const checkpoint = await readCheckpoint(database, chain);
    try {
      step = await advance(context, { checkpoint, head, signal, pass });
    } catch (error) {
      // An index that can't advance must show how far behind it is. Where this fails too, the first failure is reported.
      await recordHead(database, chain, toIndexedBlock(head)).catch(() => {});
      if (checkpoint !== null && isTooLarge(error)) {
        await recordFailure(database, chain, TOO_LARGE).catch(() => {});
      }
      throw error;
    }
  }
  return pass;
}

const TOO_LARGE =
  "the event index can't advance: the next block has more logs than the chain's node returns; set CHAIN_<id>_BACKFILL_RPC_URLS to a node without that limit";

function isTooLarge(error: unknown): boolean {
  return error instanceof ServiceError && error.details.failure === "too_large";
}

/** What a step has left to do: nothing in this pass, or another step. */
type Step = "done" | "again";

/** One step towards the head. Notes in `pass` what it has read. */
async function advance(
  context: IndexContext,
  parameters: { checkpoint: Checkpoint | null; head: Header; signal: AbortSignal; pass: IndexPass },
): Promise<Step> {
  const { checkpoint, head, signal, pass } = parameters;
  const headNumber = Number(head.number);
  const finality = await context.finality.read(toIndexedBlock(head), checkpoint?.finality ?? null);
  if (checkpoint === null) return (await begin(context, toIndexedBlock(head))) ? "again" : "done";
  if (headNumber <= checkpoint.number) {
    if (await isReplaced(context, checkpoint, toIndexedBlock(head))) {
      await rewind(context, headNumber);
      return "again";
    }
    await confirm(context, checkpoint, headNumber);
    return "done";
  }
  const target = Math.min(headNumber, finality.finalNumber);
  if (checkpoint.number < target) {
    if ((await goneBlocks(context, [checkpoint])).length === 0) {
      const { rangeBlocks } = checkpoint;
      const final = { target, finalNumber: finality.finalNumber };
      const isStored = await backfill(context, { ...final, after: checkpoint, head, signal, rangeBlocks });
      pass.hasReadRanges ||= isStored;
      return isStored ? "again" : "done";
    }
    await rewind(context, headNumber);
    return "again";
  }
  const outcome = await catchUp(context, { after: checkpoint, head, signal });
  if (outcome !== "reorganised") {
    if (outcome !== "moved") pass.young = outcome.young;
    return "done";
  }
  await rewind(context, headNumber);
  return "again";
}

/** Sets the checkpoint to the block before the first that can hold an event. False while the chain is not there yet. */
async function begin(
  { chain, chainData, database, clock, finality }: IndexContext,
  head: IndexedBlock,
): Promise<boolean> {
  const number = Math.max(0, Number(chain.startBlock ?? 0n) - 1);
  if (number > head.number) return false;
  const checkpoint = toIndexedBlock(await readHeader(chainData.rpc, number));
  return storeLogs(database, chain, {
    after: null,
    checkpoint,
    blocks: [checkpoint],
    logs: [],
    terms: [],
    tokens: [],
    headNumber: head.number,
    headTimestamp: head.timestamp,
    finality: finality.known(),
    blocksPerSecond: null,
    confirmedAt: new Date(clock()),
    // No event can be in this block, nor in a block before it.
    isFinal: true,
  });
}

/** Whether the chain up to `head` is not the one that is indexed. A lower head alone is a node that lags. */
async function isReplaced(context: IndexContext, checkpoint: IndexedBlock, head: IndexedBlock): Promise<boolean> {
  if (head.hash === checkpoint.hash) return false;
  // The highest stored block up to the head: the hash at the height of the head need not be stored.
  const [known] = await readIndexedBlocks(context.database, context.chain, { to: head.number, limit: 1 });
  if (known === undefined) return false;
  return known.number === head.number ? known.hash !== head.hash : (await goneBlocks(context, [known])).length > 0;
}

/** Confirms the checkpoint only if the head is the checkpoint itself: a node that lags confirms nothing. */
async function confirm(
  { chain, database, clock }: IndexContext,
  checkpoint: Checkpoint,
  headNumber: number,
): Promise<void> {
  const now = clock();
  // A confirmation in the future was made by a clock that has since been set back.
  const age = Math.abs(now - checkpoint.confirmedAt.getTime());
  if (headNumber < checkpoint.number || age < CONFIRM_AFTER_MS) return;
  await confirmCheckpoint(database, chain, { hash: checkpoint.hash, confirmedAt: new Date(now) });
}
