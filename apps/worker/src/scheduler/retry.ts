/** Attempts of one run, the first included. What is left undone after them is asked for again by the cadence. */
export const RUN_ATTEMPTS = 4;
/** Doubles with each attempt. */
export const FIRST_RETRY_MS = 500;

/** Whether the same work may succeed later without any change: the error says so itself (ServiceError, DatabaseError). */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && "retryable" in error && error.retryable === true;
}
