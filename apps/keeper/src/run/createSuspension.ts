import type { Clock } from "../clock";

/** Leaves a backlog alone after transactions that settled nothing, or earned less than when they were simulated, although no other keeper was faster. */
export type Suspension = {
  /** Notes such a transaction. `day` is the first open day after it; `text` explains what happened. */
  note(day: number, text: string): void;
  /** Why a backlog that begins with this day is left alone, and for how long; null where it is not. */
  of(day: number): { text: string; leftMs: number } | null;
  /** Everything is settled. */
  end(): void;
};

/** The first one may be bad luck: from this number on, the backlog is left alone. */
const MOST_UNEXPLAINED = 2;
const FIRST_PAUSE_MS = 600_000;
const LONGEST_PAUSE_MS = 6 * 3_600_000;

/**
 * After two transactions that nothing explains, one more is tried after ten minutes, then after twice that time, up to six hours, until the
 * backlog is settled. Where its first open day changes meanwhile, the next one is tried at once.
 */
export function createSuspension({ elapsed }: Pick<Clock, "elapsed">): Suspension {
  let unexplained = 0;
  let current: { day: number; text: string; until: number } | null = null;
  return {
    note(day, text) {
      unexplained++;
      if (unexplained < MOST_UNEXPLAINED) return;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (unexplained - MOST_UNEXPLAINED), LONGEST_PAUSE_MS);
      current = { day, text, until: elapsed() + pauseMs };
    },
    of(day) {
      if (current === null || current.day !== day || current.until <= elapsed()) return null;
      return { text: current.text, leftMs: current.until - elapsed() };
    },
    end() {
      unexplained = 0;
      current = null;
    },
  };
}
