/** How many blocks to request at once, learned from what the node accepts and how many logs it returns. */
export type RangeSize = {
  current(): number;
  /** The node answered the range with this number of logs. */
  accept(blocks: number, logs: number): void;
  /** The range was too wide for the node; `hint` is what its refusal names as allowed. */
  refuse(blocks: number, hint?: number | null): void;
};

export type RangeSizeOptions = {
  /** Blocks of the first range. Default 16. */
  first?: number | undefined;
  /** Blocks of the widest range. Default 100,000. */
  most?: number;
  /**
   * Number of answers after which a refused width is tried again. It doubles with each retry. The refusal may have come from a busy
   * stretch of the chain, a busy node, or another node. Default 400.
   */
  retryAfter?: number;
};

/** About 2 MB of JSON: long enough to be worth a request, short enough for memory, for every node's cap and for the event loop. */
const WANTED_LOGS = 2_000;
/** A smaller difference between the widest accepted and the narrowest refused width is not worth another refusal. */
const NEAR = 1.08;

/** Doubles the width after answers and halves it after refusals; between the widest accepted and the narrowest refused it takes the middle. */
export function createRangeSize(options: RangeSizeOptions = {}): RangeSize {
  const { first = 16, most = 100_000, retryAfter: firstRetryAfter = 400 } = options;
  let size = first;
  let widest = 0;
  let refused = Number.POSITIVE_INFINITY;
  let accepted = 0;
  let retryAfter = firstRetryAfter;
  return {
    current: () => size,
    accept(blocks, logs) {
      if (blocks >= refused) [refused, retryAfter] = [Number.POSITIVE_INFINITY, firstRetryAfter];
      widest = Math.max(widest, blocks);
      accepted += 1;
      const isRetry = accepted % retryAfter === 0;
      if (isRetry) retryAfter *= 2;
      const between = refused > widest * NEAR ? Math.floor((widest + refused) / 2) : widest;
      const byNode = refused === Number.POSITIVE_INFINITY ? size * 2 : isRetry ? refused : between;
      const byLogs = Math.max(1, Math.floor((blocks * WANTED_LOGS) / Math.max(1, logs)));
      size = Math.max(1, Math.min(byNode, byLogs, size * 2, most));
    },
    refuse(blocks, hint = null) {
      // This range was in flight already when its width was first refused.
      if (blocks >= refused && size < blocks) return;
      refused = Math.min(refused, blocks);
      if (widest >= refused) widest = 0;
      const halved = widest > 0 ? widest : Math.floor(blocks / 2);
      size = Math.max(1, hint !== null && hint < blocks ? hint : Math.min(size, halved));
      // The width that a node names is its limit.
      if (hint !== null && hint < blocks) refused = Math.min(refused, hint + 1);
    },
  };
}

/**
 * The number of blocks that a node's refusal of a range of `blocks` names as allowed: "up to a 500 block range", "maximum is set to
 * 10,000". Null where it names none, or counts results: then the range that it suggests may be the one that was asked for.
 */
export function allowedBlocks(message: string, blocks: number): number | null {
  if (/results/i.test(message)) return null;
  const numbers = [...message.matchAll(/(?<![0-9a-z])[0-9][0-9,_]{0,8}(?![0-9a-z])/gi)];
  const allowed = numbers
    .map(([text]) => Number(text.replace(/[,_]/g, "")))
    .filter((each) => each > 1 && each < blocks);
  return /range|block|limit|maximum/i.test(message) && allowed.length > 0 ? Math.max(...allowed) : null;
}
