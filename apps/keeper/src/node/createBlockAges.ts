/** A block's number and time in unix seconds. */
type BlockTime = { number: bigint; timestamp: number };

export type BlockAges = {
  /** A block that is older than `head` by at least this number of seconds, and not by much more where blocks come at a steady interval; 0 on a younger chain. */
  before(head: BlockTime, seconds: number): Promise<bigint>;
};

/** Finds blocks by their age. `timeOf` reads a block's time. What an age is in blocks is remembered, so it is one read on most days. */
export function createBlockAges(timeOf: (number: bigint) => Promise<number>): BlockAges {
  const distances = new Map<number, bigint>();
  return {
    async before(head, seconds) {
      // Begins a little nearer than the last time: the interval may have become longer.
      const last = distances.get(seconds) ?? 1n;
      for (
        let distance = last > 8n ? (last * 7n) / 8n : 1n;
        distance < head.number;
        distance = longer(distance, last)
      ) {
        const number = head.number - distance;
        if (head.timestamp - (await timeOf(number)) < seconds) continue;
        distances.set(seconds, distance);
        return number;
      }
      return 0n;
    },
  };
}

/** In small steps near the last distance, doubling elsewhere. */
function longer(distance: bigint, last: bigint): bigint {
  return distance < last ? last : 2n * distance;
}
