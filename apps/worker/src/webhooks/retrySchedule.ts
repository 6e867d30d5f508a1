const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** Pauses after the first attempt, the second, and so on. After the attempt that follows the last pause, a delivery has failed. */
export const RETRY_PAUSES_MS: readonly number[] = [
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  ...[2, 5, 10, 14, 20, 24].map((hours) => hours * HOUR_MS),
];

/** A pause is longer by up to this share, so that what failed at once is not sent again at once. */
const JITTER = 0.1;

/** An endpoint that fails for so long without a success is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;

/**
 * When a delivery is attempted again.
 *
 * @param attempts those that were made
 * @param random from 0 to 1
 * @returns null where no attempt is left
 */
export function nextAttemptAt(attempts: number, now: number, random: number): Date | null {
  const pauseMs = RETRY_PAUSES_MS[attempts - 1];
  return pauseMs === undefined ? null : new Date(now + Math.round(pauseMs * (1 + JITTER * random)));
}
