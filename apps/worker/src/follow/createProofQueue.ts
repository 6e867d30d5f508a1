/** What API processes ask for: a proof at this block or a later one. */
export type WantedProof = {
  atLeastBlock: bigint;
  /** Whether the stored plan is known to be wrong, so that everything is scanned. */
  rescan: boolean;
};

/** The requests that wait, joined into one. */
export type ProofQueue = {
  add(wanted: WantedProof): void;
  /** Takes what waits, where it can be served at block `number` now; else null. */
  take(number: bigint): WantedProof | null;
  /** Milliseconds until the waiting request can be served at block `number`; null where there is none, or it needs a later block. */
  waitMs(number: bigint): number | null;
};

/** @param pauseMs The shortest time between two requests that are taken. */
export function createProofQueue(pauseMs: number): ProofQueue {
  let waiting: WantedProof | null = null;
  let takenAt = Number.NEGATIVE_INFINITY;

  function waitMs(number: bigint): number | null {
    if (waiting === null || waiting.atLeastBlock > number) return null;
    return Math.max(0, takenAt + pauseMs - performance.now());
  }

  return {
    add({ atLeastBlock, rescan }) {
      waiting = {
        atLeastBlock: waiting !== null && waiting.atLeastBlock > atLeastBlock ? waiting.atLeastBlock : atLeastBlock,
        rescan: rescan || waiting?.rescan === true,
      };
    },
    take(number) {
      if (waitMs(number) !== 0) return null;
      const taken = waiting;
      waiting = null;
      takenAt = performance.now();
      return taken;
    },
    waitMs,
  };
}
