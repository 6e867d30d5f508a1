/** How long the newest block of a chain has been the newest. */
export type HeadAge = {
  /** Since the head changed, as this process saw it. */
  seconds: number;
  /** The longest time between two of the latest changes; null before the first change. */
  usualSeconds: number | null;
  /** The head is much older than earlier heads became. */
  isStopped: boolean;
};

export type HeadAgeTracker = {
  /** @param timestamp of the block, unix seconds */
  note(head: { hash: string; timestamp: bigint }): void;
  /** Null before the first head. */
  read(): HeadAge | null;
};

export type HeadAgeOptions = {
  /** A development chain has a block when somebody asks for one: its head may have any age. */
  minesOnDemand: boolean;
  /** Milliseconds that never go back, such as `performance.now`. */
  elapsed: () => number;
  /** Milliseconds since 1970. */
  clock: () => number;
};

/** Below this age, in seconds, a head counts as new: polls and announcements come some seconds apart. */
const NEW_SECONDS = 15;
/** A head that is older than the usual age times this factor is too old. */
const TOO_OLD = 3;
const REMEMBERED_CHANGES = 20;

/**
 * Measures the age of a head by the changes that this process has seen. The time of a block counts only for the first head, because a
 * process that starts after the node has stopped sees no change.
 */
export function createHeadAge({ minesOnDemand, elapsed, clock }: HeadAgeOptions): HeadAgeTracker {
  const gaps: number[] = [];
  let hash: string | null = null;
  let changedAt = 0;

  return {
    note(head) {
      if (head.hash === hash) return;
      const now = elapsed();
      if (hash === null) {
        const age = minesOnDemand ? 0 : Math.max(0, clock() - Number(head.timestamp) * 1000);
        changedAt = now - age;
      } else {
        gaps.push((now - changedAt) / 1000);
        if (gaps.length > REMEMBERED_CHANGES) gaps.shift();
        changedAt = now;
      }
      hash = head.hash;
    },
    read() {
      if (hash === null) return null;
      const seconds = (elapsed() - changedAt) / 1000;
      const usualSeconds = gaps.length === 0 ? null : Math.max(...gaps);
      const limit = Math.max(NEW_SECONDS, TOO_OLD * (usualSeconds ?? 0));
      return { seconds, usualSeconds, isStopped: !minesOnDemand && seconds > limit };
    },
  };
}
