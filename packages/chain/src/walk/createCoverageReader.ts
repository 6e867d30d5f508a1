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
   * The joint walk from the state after `block`; null where the chain's node can't read that state at all. Answers of one block share it.
   * Throws ServiceError UPSTREAM_* where the node fails.
   */
  read(client: ChainClient, block: ChainBlock): Promise<CoverageWalk | null>;
};

/** Blocks whose walks are kept: reads pin the newest head or the block of the index. */
const MOST_KEPT = 3;

/** A reader over `stateCache`. The caller decides nothing about payments, so the zero address stands for it. */
export function createCoverageReader(stateCache: RemitStateCache): CoverageReader {
  const walks = new Map<Hex, Promise<CoverageWalk | null>>();

  async function walk(client: ChainClient, block: ChainBlock): Promise<CoverageWalk | null> {
    try {
      return await walkCoverage(await stateCache.read(client, { block, caller: zeroAddress, daysAhead: WALK_DAYS }));
    } catch (error) {
      if (cannotBeRead(error)) return null;
      throw error;
    }
  }

  return {
    read(client, block) {
      const known = walks.get(block.hash);
      if (known !== undefined) return known;
      const reading = walk(client, block);
      walks.set(block.hash, reading);
      for (const hash of [...walks.keys()].slice(0, -MOST_KEPT)) walks.delete(hash);
      // The next request tries again.
      reading.catch(() => walks.delete(block.hash));
      return reading;
    },
  };
}
