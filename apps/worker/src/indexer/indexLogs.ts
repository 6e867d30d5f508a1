import type { IndexedBlock } from "@dueday/db/index/indexedLog";
import { confirmCheckpoint, readCheckpoint } from "@dueday/db/queries/readCheckpoint";
import { readIndexedBlocks } from "@dueday/db/queries/readIndexedBlocks";
import { storeLogs } from "@dueday/db/queries/storeLogs";
import { backfill } from "./backfill";
import { follow } from "./follow";
import { readHeader, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";
import { goneBlocks, rewind } from "./rewind";

/** How old a confirmation of an unchanged checkpoint may get. */
const CONFIRM_AFTER_MS = 1_000;

/**
 * Brings the index to the chain's head: from the stored checkpoint, in ranges as far as blocks are final, then block by block.
 * Idempotent, and safe to be ended anywhere: each step is one transaction that goes on from the one before.
 */
export async function indexLogs(context: IndexContext, signal: AbortSignal): Promise<void> {
  const { chain, chainData, database } = context;
  while (!signal.aborted) {
    const head = await readHeader(chainData.rpc, "latest");
    const headNumber = Number(head.number);
    const checkpoint = await readCheckpoint(database, chain);
    if (checkpoint === null) {
      if (!(await begin(context, headNumber))) return;
      continue;
    }
    if (headNumber <= checkpoint.number) {
      if (!(await isReplaced(context, toIndexedBlock(head)))) return confirm(context, checkpoint, headNumber);
      await rewind(context, headNumber);
      continue;
    }
    const target = headNumber - chain.finalityBlocks;
    if (checkpoint.number < target) {
      if ((await goneBlocks(context, [checkpoint])).length > 0) await rewind(context, headNumber);
      else if (!(await backfill(context, { after: checkpoint, target, head, signal }))) return;
      continue;
    }
    const outcome = await follow(context, { after: checkpoint, head, signal });
    if (outcome !== "reorganised") return;
    await rewind(context, headNumber);
  }
}

/** Stands the index on the block before the first that can hold an event. False while the chain has not got there. */
async function begin({ chain, chainData, database, clock }: IndexContext, headNumber: number): Promise<boolean> {
  const number = Math.max(0, Number(chain.startBlock ?? 0n) - 1);
  if (number > headNumber) return false;
  const checkpoint = toIndexedBlock(await readHeader(chainData.rpc, number));
  return storeLogs(database, chain, {
    ...{ after: null, checkpoint, blocks: [checkpoint], logs: [], terms: [], tokens: [] },
    ...{ headNumber, blocksPerSecond: null, confirmedAt: new Date(clock()) },
  });
}

/** Whether the index stands on another block at the height of `head`. A lower head alone is a node that lags. */
async function isReplaced({ chain, database }: IndexContext, head: IndexedBlock): Promise<boolean> {
  const [known] = await readIndexedBlocks(database, chain, { from: head.number, to: head.number, limit: 1 });
  return known !== undefined && known.hash !== head.hash;
}

/** Only where the head is the checkpoint itself: a node that lags confirms nothing. */
async function confirm(
  { chain, database, clock }: IndexContext,
  checkpoint: NonNullable<Awaited<ReturnType<typeof readCheckpoint>>>,
  headNumber: number,
): Promise<void> {
  const now = clock();
  if (headNumber < checkpoint.number || now - checkpoint.confirmedAt.getTime() < CONFIRM_AFTER_MS) return;
  await confirmCheckpoint(database, chain, { hash: checkpoint.hash, headNumber, confirmedAt: new Date(now) });
}
