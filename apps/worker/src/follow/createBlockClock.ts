/** Learns how fast blocks come, so that one request finds a new block soon after it arrives. Times in milliseconds. */
export type BlockClock = {
  /** A request that was sent at `askedAt` returned a new head. */
  saw(head: { number: bigint; timestamp: bigint }, askedAt: number): void;
  /** A request returned the head that was known already. */
  missed(): void;
  /** When to ask again. */
  nextAt(now: number): number;
  /** The average time from block to block; null where too few were seen. */
  intervalMs(): number | null;
};

/** The pause between two requests where blocks come irregularly. A new block is noticed after half of it on average. */
const IRREGULAR_MS = 250;
/** How much earlier than expected each block is asked for. Too early costs one more request, too late makes answers older. */
const EARLIER_MS = 15;
/** Pauses after misses. A block that does not come at all is asked for once a second. */
const AFTER_MISS_MS = [60, 60, 80, 120, 200, 300, 500];
const LONGEST_PAUSE_MS = 1_000;
/** Heads whose distances are compared. */
const SEEN = 8;
const FEWEST = 4;

type Seen = { number: number; timestamp: number; at: number };

/**
 * @param paceMs The pause between two requests where blocks come faster than this on average. Then not every block is
 * seen: this saves requests, and no user notices the difference.
 */
export function createBlockClock(paceMs: () => number): BlockClock {
  let seen: Seen[] = [];
  let misses = 0;
  /** When the last block arrived, as far as is known. */
  let arrivedAt = 0;

  function intervalMs(): number | null {
    const [first, last] = [seen[0], seen.at(-1)];
    if (first === undefined || last === undefined || seen.length <= FEWEST) return null;
    return (last.at - first.at) / Math.max(1, last.number - first.number);
  }

  /** The time from block to block where it is almost always the same; null where it is not. */
  function regularMs(): number | null {
    const steps = seen.slice(1).map((each, index) => {
      const before = seen[index] ?? each;
      const blocks = Math.max(1, each.number - before.number);
      return {
        byTime: (each.at - before.at) / blocks,
        byBlock: ((each.timestamp - before.timestamp) * 1_000) / blocks,
      };
    });
    if (steps.length < FEWEST) return null;
    const middle = median(steps.map(({ byTime }) => byTime));
    // Times in headers are whole seconds.
    const stated = median(steps.map(({ byBlock }) => byBlock));
    const near = (ms: number) => Math.abs(ms - middle) <= middle / 4;
    if (steps.filter(({ byTime }) => near(byTime)).length < 0.75 * steps.length) return null;
    return near(stated) ? stated : middle;
  }

  return {
    intervalMs,
    saw({ number, timestamp }, askedAt) {
      seen = [...seen, { number: Number(number), timestamp: Number(timestamp), at: askedAt }].slice(-SEEN);
      arrivedAt = misses === 0 ? askedAt - EARLIER_MS : askedAt;
      misses = 0;
    },
    missed: () => void misses++,
    nextAt(now) {
      const average = intervalMs();
      if (average !== null && average < paceMs())
        return Math.max(now, (seen.at(-1)?.at ?? now) + paceMs() * (misses + 1));
      const interval = regularMs();
      if (interval === null) return now + IRREGULAR_MS;
      if (misses === 0) return Math.max(now, arrivedAt + interval);
      return now + (AFTER_MISS_MS[misses - 1] ?? LONGEST_PAUSE_MS);
    },
  };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
