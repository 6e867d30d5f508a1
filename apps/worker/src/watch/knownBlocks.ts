import type { Hex } from "viem";

export type KnownBlock = { number: bigint; hash: Hex };

/** Hash that the chain has at a height now; null where the node can't tell. */
export type HashAt = (number: bigint) => Promise<Hex | null>;

/** The blocks that were seen last, by which a reorganisation is noticed. */
export type KnownBlocks = {
  add(block: KnownBlock): void;
  last(): KnownBlock | undefined;
  /**
   * Compares what was seen up to the height of `head` with what the chain has now, and forgets what is gone. A lower head
   * alone is a node that lags: only another hash at a known height says that the chain has changed.
   *
   * @returns The first block number that may have changed, or null when none has.
   */
  rewind(head: KnownBlock, hashAt: HashAt): Promise<bigint | null>;
};

/** Remembers up to `limit` blocks. */
export function createKnownBlocks(limit: number): KnownBlocks {
  let blocks: KnownBlock[] = [];
  return {
    add(block) {
      blocks = [...blocks, block].toSorted((a, b) => Number(a.number - b.number)).slice(-limit);
    },
    last: () => blocks.at(-1),
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
      // Everything that was seen is gone: how far down it goes is unknown.
      blocks = [];
      return 0n;
    },
  };
}
