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

/** A pause is longer by up to this share, so that what failed together is not sent again together. */
const JITTER = 0.1;

/** An endpoint that fails for this time without a success is disabled. */
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

/** Pauses of an endpoint after one failure that counts, the next one, and so on; the last one repeats. */
const REST_PAUSES_MS: readonly number[] = [5 * SECOND_MS, 30 * SECOND_MS, 2 * MINUTE_MS, 10 * MINUTE_MS];
/** An endpoint that answers may refuse single events, so it rests only from this number of failures in a row on. */
const RESTS_FROM = 3;

/**
 * How long nothing at all is sent to an endpoint after a failure, milliseconds. One that can't be reached rests at once.
 *
 * @param failures attempts that failed since the last success, at least one
 */
export function restMs(failures: number, unreachable: boolean): number {
  const counting = unreachable ? failures : failures - RESTS_FROM + 1;
  return counting < 1 ? 0 : (REST_PAUSES_MS[Math.min(counting, REST_PAUSES_MS.length) - 1] ?? 0);
}
