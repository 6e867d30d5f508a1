import type { Hex } from "viem";

export type KnownBlock = { number: bigint; hash: Hex };

/** Returns the hash that the chain has at a height now; null where the node does not know the height. */
export type HashAt = (number: bigint) => Promise<Hex | null>;

/** The blocks that were seen last. A reorganisation is detected by comparing them with the chain. */
export type KnownBlocks = {
  add(block: KnownBlock): void;
  /**
   * Compares the known blocks up to the height of `head` with the chain, and removes those that were replaced. A lower head
   * alone is a node that lags: only another hash at a known height shows that the chain has changed.
   *
   * @returns The first block number that may have changed, or null when none has.
   */
  rewind(head: KnownBlock, hashAt: HashAt): Promise<bigint | null>;
};

/** Remembers the highest `limit` blocks. */
export function createKnownBlocks(limit: number): KnownBlocks {
  let blocks: KnownBlock[] = [];
  return {
    add(block) {
      blocks = [...blocks, block].toSorted((a, b) => Number(a.number - b.number)).slice(-limit);
    },
    async rewind(head, hashAt) {
      let changedFrom: bigint | null = null;
      for (const block of blocks.toReversed()) {
        if (block.number > head.number) continue;
        const hash = block.number === head.number ? head.hash : await hashAt(block.number);
        if (hash === null) return null;
        if (hash === block.hash) {
          if (changedFrom === null) return null;
          blocks = blocks.filter(({ number }) => number <= block.number);
          return block.number + 1n;
        }
        changedFrom = block.number;
      }
      if (changedFrom === null) return null;
      // Every known block was replaced: how deep the reorganisation goes is unknown.
      blocks = [];
      return 0n;
    },
  };
}
