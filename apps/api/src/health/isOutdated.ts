/** Difference between the clocks of two machines that is not worth an alarm. */
const CLOCK_SKEW_MS = 5_000;

export type AgeLimit = {
  /** Unix milliseconds. */
  now: number;
  staleAfterMs: number;
};

/**
 * Whether something that was last confirmed at `confirmedAt` (unix milliseconds) is stale: too long ago, or at a time that is
 * more than `CLOCK_SKEW_MS` ahead of this process's clock. The age of the latter is unknown, since one of the two clocks was or is wrong.
 */
export function isOutdated(confirmedAt: number, { now, staleAfterMs }: AgeLimit): boolean {
  return now - confirmedAt > staleAfterMs || isDatedAhead(confirmedAt, { now });
}

/** Whether a time is later than this process's clock by more than `CLOCK_SKEW_MS`. */
export function isDatedAhead(confirmedAt: number, { now }: Pick<AgeLimit, "now">): boolean {
  return confirmedAt - now > CLOCK_SKEW_MS;
}
