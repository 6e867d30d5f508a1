import { readCheckpoint } from "@dueday/db/queries/readCheckpoint";
import { pruneIndexedBlocks, readIndexedBlocks } from "@dueday/db/queries/readIndexedBlocks";
import type { IndexContext } from "./indexContext";
import { goneBlocks, rewind } from "./rewind";

/** Blocks compared in one check at most. */
const MOST_BLOCKS = 200;
/** Blocks that are kept even where finality comes sooner: the pages of a list may be pinned to them. */
const KEPT_BLOCKS = 5_000;

/**
 * Reads the hashes of recent blocks again, and rewinds where one was replaced: a node may have answered wrongly, or a
 * reorganisation may have happened between two polls. Deletes the hashes of old blocks.
 */
export async function recheckBlocks(context: IndexContext): Promise<void> {
  const { chain, database } = context;
  const checkpoint = await readCheckpoint(database, chain);
  if (checkpoint === null) return;
  const from = checkpoint.number - chain.finalityBlocks;
  const recent = await readIndexedBlocks(database, chain, { from: Math.max(0, from), limit: MOST_BLOCKS });
  const gone = await goneBlocks(context, recent);
  if (gone.length > 0) await rewind(context, checkpoint.number);
  await pruneIndexedBlocks(database, chain, checkpoint.number - Math.max(chain.finalityBlocks * 2, KEPT_BLOCKS));
}
