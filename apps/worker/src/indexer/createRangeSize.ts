/** How many blocks to request at once, learned from what the node accepts and how many logs it returns. */
export type RangeSize = {
  current(): number;
  /** The node answered the range with so many logs. */
  accept(blocks: number, logs: number): void;
  /** The range was too wide for the node. */
  refuse(blocks: number): void;
};

export type RangeSizeOptions = {
  /** Blocks of the first range. Default 64. */
  first?: number;
  /** Blocks of the widest range. Default 100,000. */
  most?: number;
};

/** About 6 MB of JSON: long enough to be worth a request, short enough for memory and every node's cap. */
const WANTED_LOGS = 6_000;
/** Answers after which a refusal is forgotten: it may have come from a busy stretch of the chain, or another node. */
const FORGET_AFTER = 100;

/** Grows by doubling and shrinks by halving, and between the widest accepted and the narrowest refused halves the distance. */
export function createRangeSize({ first = 64, most = 100_000 }: RangeSizeOptions = {}): RangeSize {
  let size = first;
  let widest = 0;
  let refused = Number.POSITIVE_INFINITY;
  let accepted = 0;
  return {
    current: () => size,
    accept(blocks, logs) {
      widest = Math.max(widest, blocks);
      accepted += 1;
      if (accepted % FORGET_AFTER === 0) refused = Number.POSITIVE_INFINITY;
      const byNode = refused === Number.POSITIVE_INFINITY ? size * 2 : Math.floor((widest + refused) / 2);
      const byLogs = Math.max(1, Math.floor((blocks * WANTED_LOGS) / Math.max(1, logs)));
      size = Math.max(1, Math.min(byNode, byLogs, size * 2, most));
    },
    refuse(blocks) {
      refused = Math.min(refused, blocks);
      if (widest >= refused) widest = 0;
      accepted = 0;
      size = Math.max(1, Math.min(size, widest > 0 ? widest : Math.floor(blocks / 2)));
    },
  };
}
