/** Seconds of a UTC day. */
export const DAY_SECONDS = 86_400;
/** Milliseconds of a UTC day. */
export const DAY_MS = DAY_SECONDS * 1000;

/** Day number of a block timestamp in unix seconds: seconds / 86400, rounded down, UTC (protocol part 3). */
export function dayNumber(timestamp: bigint | number): number {
  return Math.floor(Number(timestamp) / DAY_SECONDS);
}
