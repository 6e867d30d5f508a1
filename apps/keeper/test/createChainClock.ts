import type { DevnetClient } from "@dueday/devnet/client";
import type { Clock } from "@dueday/keeper/clock";

export type ChainClockOptions = {
  client: DevnetClient;
  /** The chain's time at the start, unix seconds. */
  startsAt: number;
  blockMs: number;
  /** Called before each block with the milliseconds since the start. */
  beforeBlock?: (elapsed: number) => Promise<void>;
};

/** Pauses up to this length are filled with blocks; a longer one ends with a single block. */
const LONGEST_FILLED_MS = 5_000;

/** The clock of a keeper that is alone on a devnet without automatic blocks: they are mined while it sleeps. */
export function createChainClock({ client, startsAt, blockMs, beforeBlock }: ChainClockOptions): Clock {
  let now = 0;

  async function mineAt(elapsed: number): Promise<void> {
    await beforeBlock?.(elapsed);
    // Blocks within a second have the same time.
    await client.setNextBlockTimestamp({ timestamp: BigInt(startsAt + Math.floor(elapsed / 1000)) });
    await client.mine({ blocks: 1 });
  }

  return {
    elapsed: () => now,
    wall: () => startsAt * 1000 + now,
    random: () => 0.5,
    async sleep(milliseconds) {
      const end = now + Math.max(1, milliseconds);
      if (milliseconds > LONGEST_FILLED_MS) await mineAt(end);
      else {
        for (let next = (Math.floor(now / blockMs) + 1) * blockMs; next <= end; next += blockMs) {
          now = next;
          await mineAt(next);
        }
      }
      now = end;
    },
  };
}
