import type { CoveredHead } from "@dueday/db/eventIndex/coveredHead";
import type { IndexedBlock } from "@dueday/db/eventIndex/indexedLog";
import type { HeadMessage } from "@dueday/db/headMessage";
import type { Hex } from "viem";

/** What the worker has announced of its index. */
export type CoveredHeads = {
  hear(message: HeadMessage): void;
  /** The newest announcement; null before the first, and while the index catches up. */
  latest(): CoveredHead | null;
};

/** @param clock Unix milliseconds. */
export function createCoveredHeads(clock: () => number): CoveredHeads {
  let checkpoint: Hex | null = null;
  let head: IndexedBlock | null = null;
  let unprovenFrom: number | undefined;
  let confirmedAt = new Date(0);
  /** The heads that were announced for this checkpoint. The next checkpoint is stored after about 75 s at most. */
  let heads = new Map<number, IndexedBlock>();
  return {
    hear({ head: seen, covered }) {
      if (covered == null) {
        head = null;
        return;
      }
      if (covered.checkpoint !== checkpoint) heads = new Map();
      checkpoint = covered.checkpoint;
      ({ head, unprovenFrom } = covered);
      heads.set(head.number, head);
      // While its node fails, a worker repeats its last announcement, which confirms nothing.
      if (seen !== null) confirmedAt = new Date(clock());
    },
    latest() {
      if (checkpoint === null || head === null) return null;
      return { checkpoint, head, unprovenFrom, confirmedAt, blockAt: (number) => heads.get(number) };
    },
  };
}
