import { within } from "@dueday/core/within";
import { DatabaseError } from "./databaseError";

/**
 * Waits for the work, but no longer than `deadlineMs`. The driver itself waits indefinitely for a frozen server.
 *
 * @throws DatabaseError with the code DEADLINE. The work continues, and its result is ignored.
 */
export async function withDeadline<T>(action: string, deadlineMs: number, work: () => PromiseLike<T>): Promise<T> {
  return within(action, deadlineMs, work(), () => new DatabaseError(action, "DEADLINE"));
}
