/** How many calls to put into one HTTP request, learned from what a node accepts. */
export type BatchSize = {
  current(): number;
  accept(calls: number): void;
  /** `stated` is the size that the node's refusal names, if any. */
  refuse(calls: number, stated?: number | null): void;
};

export type BatchSizeOptions = {
  /** Milliseconds, from any start; never set back. */
  clock: () => number;
};

const LARGEST = 50;
const GROWTH = 1.5;
/** A larger batch is tried after this time. Each refusal of the larger batch doubles the time. */
const FIRST_RAISE_MS = 60_000;
const LAST_RAISE_MS = 1_800_000;

/**
 * Falls to the size that a refusal states, else to the size before the last raise, else to half of what was refused, down to single calls;
 * and is raised again slowly.
 */
export function createBatchSize({ clock }: BatchSizeOptions): BatchSize {
  let size = LARGEST;
  /** The size before the last raise; 0 where there was no raise since the start or the last fall. */
  let proven = 0;
  let raiseMs = FIRST_RAISE_MS;
  let changedAt = clock();

  function change(to: number): void {
    size = to;
    changedAt = clock();
  }

  return {
    current: () => size,
    accept(calls) {
      if (size === LARGEST || calls < size || clock() - changedAt < raiseMs) return;
      proven = size;
      change(Math.min(LARGEST, Math.max(size + 1, Math.floor(size * GROWTH))));
    },
    refuse(calls, stated = null) {
      // This batch was sent before the size fell.
      if (calls > size) return;
      if (stated !== null && stated > 0 && stated < calls) {
        change(stated);
        proven = 0;
        // A limit that the node states does not change by itself.
        raiseMs = LAST_RAISE_MS;
        return;
      }
      if (proven > 0) raiseMs = Math.min(LAST_RAISE_MS, raiseMs * 2);
      change(proven > 0 && proven < calls ? proven : Math.max(1, Math.floor(calls / 2)));
      proven = 0;
    },
  };
}
