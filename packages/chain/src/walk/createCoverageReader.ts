import { WALK_DAYS } from "@dueday/core/walk/coverage";
import { type CoverageWalk, walkCoverage } from "@dueday/core/walk/walkCoverage";
import { type Hex, zeroAddress } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { cannotBeRead } from "../reads/protocolRead";
import type { RemitStateCache } from "../remit/state/createRemitStateCache";

/** Reads the coverage of all plans of a contract. */
export type CoverageReader = {
  /**
   * The joint walk from the state after `block`; null where the chain's node can't read that state at all, or not in time: then the walk
   * goes on, for those who ask later. Answers of one block share it. Throws ServiceError UPSTREAM_* where the node fails.
   */
  read(client: ChainClient, block: ChainBlock): Promise<CoverageWalk | null>;
};

/** Blocks whose walks are kept: reads pin the newest head or the block of the index. */
const MOST_KEPT = 3;
/** A third of the time that an answer may take. The first walk reads all due lists, which a slow node with a rate limit may not give in that time. */
const LONGEST_WAIT_MS = 5_000;

/** A reader over `stateCache`. The zero address stands for the caller of remit(), whose fees can change no payments but its own. */
export function createCoverageReader(
  stateCache: RemitStateCache,
  { longestWaitMs = LONGEST_WAIT_MS }: { longestWaitMs?: number } = {},
): CoverageReader {
  const walks = new Map<Hex, Promise<CoverageWalk | null>>();
  let last: Promise<unknown> = Promise.resolve();

  async function walk(client: ChainClient, block: ChainBlock, before: Promise<unknown>): Promise<CoverageWalk | null> {
    // One after another: the first reads everything, the next only what has changed since. An error of the walk before is reported
    // to the readers of that walk.
    await before.catch(() => null);
    try {
      return await walkCoverage(await stateCache.read(client, { block, caller: zeroAddress, daysAhead: WALK_DAYS }));
    } catch (error) {
      if (cannotBeRead(error)) return null;
      throw error;
    }
  }

  function walkOnce(client: ChainClient, block: ChainBlock): Promise<CoverageWalk | null> {
    const known = walks.get(block.hash);
    if (known !== undefined) return known;
    const walking = walk(client, block, last);
    last = walking;
    walks.set(block.hash, walking);
    for (const hash of [...walks.keys()].slice(0, -MOST_KEPT)) walks.delete(hash);
    // The next request tries again.
    walking.catch(() => walks.delete(block.hash));
    return walking;
  }

  return {
    async read(client, block) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<null>((resolve) => {
        timer = setTimeout(() => resolve(null), longestWaitMs);
      });
      try {
        return await Promise.race([walkOnce(client, block), late]);
      } finally {
        clearTimeout(timer);
      }
    },
  };
}
