import type { Hex } from "viem";

export type KnownBlock = { number: bigint; hash: Hex };

/** Returns the hash that the chain has at a height now; rejects where the node does not know the height. */
export type HashAt = (number: bigint) => Promise<Hex>;

/** The heads that were seen last. A reorganisation is detected by comparing them with the chain. */
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
      const below = blocks.filter(({ number }) => number <= head.number);
      const highest = below.at(-1);
      if (highest === undefined) return null;
      const hash = highest.number === head.number ? head.hash : await hashAt(highest.number);
      if (hash === highest.hash) return null;
      // If a block is on the chain, so are its ancestors: a binary search finds the first one that was replaced.
      let [kept, replaced] = [-1, below.length - 1];
      while (replaced - kept > 1) {
        const middle = Math.floor((kept + replaced) / 2);
        const block = below[middle] ?? highest;
        if ((await hashAt(block.number)) === block.hash) kept = middle;
        else replaced = middle;
      }
      const common = below[kept];
      blocks = below.slice(0, kept + 1);
      // Where every known block was replaced, how deep the reorganisation goes is unknown.
      return common === undefined ? 0n : common.number + 1n;
    },
  };
}
