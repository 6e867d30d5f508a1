import { DatabaseError } from "./databaseError";

/**
 * Waits for the work, but no longer than `deadlineMs`. The driver itself waits indefinitely for a frozen server.
 *
 * @throws DatabaseError with the code DEADLINE. The work continues, and its result is ignored.
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
