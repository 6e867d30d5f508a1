import { ServiceError } from "@dueday/core/errors";
import type { IndexedBlock } from "@dueday/db/index/indexedLog";
import { readIndexedBlocks } from "@dueday/db/queries/readIndexedBlocks";
import { rewindLogs } from "@dueday/db/queries/rewindLogs";
import { readHeaders, toIndexedBlock } from "./headers";
import type { IndexContext } from "./indexContext";

const BLOCKS_AT_ONCE = 50;

/**
 * Finds the highest block that the index has in common with the chain, below every block that was replaced, and removes
 * everything above it from the index.
 *
 * @param headNumber The chain's head: a block above it proves nothing.
 * @throws ServiceError when there is no common block: another chain must not empty the index.
 */
export async function rewind(context: IndexContext, headNumber: number): Promise<void> {
  const { chain, database, logger, clock } = context;
  const ancestor = await findAncestor(context, headNumber);
  if (ancestor === null) {
    throw new ServiceError("UPSTREAM_ERROR", "The chain's node has no block in common with the index", {
      details: { chainId: chain.chainId, headNumber },
      retryable: false,
    });
  }
  if (await rewindLogs(database, chain, ancestor, new Date(clock()))) {
    logger.warn({ ancestor: ancestor.number }, "the chain was reorganised: the index went back to the common block");
  }
}

async function findAncestor(context: IndexContext, headNumber: number): Promise<IndexedBlock | null> {
  let ancestor: IndexedBlock | null = null;
  for (let to = headNumber; to >= 0; ) {
    const known = await readIndexedBlocks(context.database, context.chain, { to, limit: BLOCKS_AT_ONCE });
    const lowest = known.at(-1);
    if (lowest === undefined) return null;
    const gone = await goneBlocks(context, known);
    // Below the lowest that is gone: a matching block above one that is gone came from a wrong answer.
    ancestor = known.find((block) => gone.every((each) => block.number < each.number)) ?? null;
    if (ancestor !== null) return ancestor;
    to = lowest.number - 1;
  }
  return ancestor;
}

/** Returns the known blocks that the chain has replaced. */
export async function goneBlocks(context: IndexContext, known: readonly IndexedBlock[]): Promise<IndexedBlock[]> {
  const headers = await readHeaders(
    context.chainData.rpc,
    known.map(({ number }) => number),
  );
  const hashes = new Map(headers.map(toIndexedBlock).map(({ number, hash }) => [number, hash]));
  return known.filter(({ number, hash }) => hashes.get(number) !== hash);
}
