/** A block's number and time in unix seconds. */
type BlockTime = { number: bigint; timestamp: number };

export type BlockAges = {
  /** A block that is older than `head` by at least this number of seconds, and by at most about twice that where blocks come at a steady interval; 0 on a younger chain. */
  before(head: BlockTime, seconds: number): Promise<bigint>;
};

/** Finds blocks by their age. `timeOf` reads a block's time. The distance of each age is remembered, so most calls need one or two reads. */
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

/** Goes to the last distance first, and doubles from there. */
function longer(distance: bigint, last: bigint): bigint {
  return distance < last ? last : 2n * distance;
}
