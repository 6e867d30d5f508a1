import { DatabaseError } from "./databaseError";

/**
 * Waits for the work, but no longer than `deadlineMs`: the driver itself waits for ever on a server that stands still.
 *
 * @throws DatabaseError with the code DEADLINE. The work goes on unobserved; what it ends with is dropped.
 */
export async function withDeadline<T>(action: string, deadlineMs: number, work: () => PromiseLike<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new DatabaseError(action, "DEADLINE")), deadlineMs);
  try {
    return await Promise.race([work(), expired]);
  } finally {
    clearTimeout(timer);
  }
}
