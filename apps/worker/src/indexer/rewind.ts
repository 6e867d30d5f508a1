import { ServiceError } from "@dueday/core/errors";
import type { IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import { type Checkpoint, readCheckpoint } from "@dueday/db/indexing/readCheckpoint";
import { readIndexedBlocks, readLogBlocks } from "@dueday/db/indexing/readIndexedBlocks";
import { rewindLogs } from "@dueday/db/indexing/rewindLogs";
import { readHeader, readHeaders, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

/** A block by its hash. */
type Known = Pick<IndexedBlock, "number" | "hash">;

/** Headers requested at once. */
const HEADERS_AT_ONCE = 50;

/**
 * Finds the highest block that the index has in common with the chain, below every block that was replaced, and removes
 * everything above it from the index. Which blocks are safe and final is read again.
 *
 * @param headNumber The chain's head: a block above it proves nothing.
 * @throws ServiceError when there is no common block: another chain must not empty the index.
 */
export async function rewind(context: IndexContext, headNumber: number): Promise<void> {
  const { chain, database, logger, clock, chainData, finality } = context;
  const seen = await readCheckpoint(database, chain);
  if (seen === null) return;
  const ancestor = await findAncestor(context, seen, headNumber);
  if (ancestor === null) {
    throw new ServiceError("UPSTREAM_ERROR", "The chain's node has no block in common with the index", {
      details: { chainId: chain.chainId, headNumber },
      retryable: false,
    });
  }
  finality.forget();
  const block = toIndexedBlock(await readHeader(chainData.rpc, ancestor.number));
  // The block was replaced meanwhile: the next pass detects that.
  if (block.hash !== ancestor.hash) return;
  if (!(await rewindLogs(database, chain, { ancestor: block, seen, highest: seen.headNumber, now: new Date(clock()) })))
    return;
  logger.warn({ ancestor: block.number }, "the chain was reorganised: the index went back to the common block");
  context.onRewind?.();
  const final = seen.finality;
  if (final !== null && final.by === "tag" && block.number < final.finalNumber)
    logger.error({ ancestor: block.number, finalBlock: final.finalNumber }, "blocks that were final were replaced");
}

async function findAncestor(context: IndexContext, seen: Checkpoint, headNumber: number): Promise<Known | null> {
  const { database, chain } = context;
  let lowestGone = Math.min(headNumber, seen.number) + 1;
  for (let to = headNumber; to >= 0; ) {
    const known = await readIndexedBlocks(database, chain, { to, limit: HEADERS_AT_ONCE });
    const lowest = known.at(-1);
    if (lowest === undefined) return null;
    const gone = await goneBlocks(context, known);
    lowestGone = Math.min(lowestGone, ...gone.map(({ number }) => number));
    // Only blocks below the lowest replaced one count: where a higher one seems to match, the node's answer was wrong.
    const ancestor = known.find(({ number }) => number < lowestGone);
    if (ancestor !== undefined) return lastOfLogs(context, ancestor, lowestGone);
    to = lowest.number - 1;
  }
  return null;
}

/** The highest block with logs above `ancestor` and below `end` that the chain still has; else `ancestor`. Hashes are stored for some blocks only. */
async function lastOfLogs(context: IndexContext, ancestor: Known, end: number): Promise<Known> {
  const { database, chain } = context;
  const range = { from: ancestor.number + 1, to: end - 1 };
  const known = await readLogBlocks(database, chain, { ...range, limit: HEADERS_AT_ONCE });
  const gone = new Set(await goneBlocks(context, known));
  const firstGone = known.findIndex((block) => gone.has(block));
  const last = (firstGone === -1 ? known : known.slice(0, firstGone)).at(-1);
  if (last === undefined) return ancestor;
  return firstGone === -1 && known.length === HEADERS_AT_ONCE ? lastOfLogs(context, last, end) : last;
}

/** Returns the known blocks that the chain has replaced. */
export async function goneBlocks<T extends Known>(context: IndexContext, known: readonly T[]): Promise<T[]> {
  const gone: T[] = [];
  for (let start = 0; start < known.length; start += HEADERS_AT_ONCE) {
    const some = known.slice(start, start + HEADERS_AT_ONCE);
    const headers = await readHeaders(
      context.chainData.rpc,
      some.map(({ number }) => number),
    );
    const hashes = new Map(headers.map(toIndexedBlock).map(({ number, hash }) => [number, hash]));
    gone.push(...some.filter(({ number, hash }) => hashes.get(number) !== hash));
  }
  return gone;
}
