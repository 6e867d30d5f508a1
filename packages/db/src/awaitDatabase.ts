import { aborted } from "@dueday/core/aborted";
import { sql } from "drizzle-orm";
import type { Database } from "./connectDatabase";
import { DatabaseError } from "./databaseError";

export type AwaitOptions = {
  /** Ends the wait. */
  signal: AbortSignal;
  /** Called once, if the first attempt fails. */
  onAway: (reason: DatabaseError) => void;
};

const RETRY_MS = 500;

/**
 * Waits until the database answers or `signal` is aborted.
 *
 * @throws DatabaseError if it answers with an error that a retry does not solve, e.g. a wrong password
 */
export async function awaitDatabase(database: Database, { signal, onAway }: AwaitOptions): Promise<void> {
  const answered = async () => {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        await database.run("answer", (db) => db.execute(sql`select 1`));
        return;
      } catch (error) {
        if (!(error instanceof DatabaseError) || !error.retryable) throw error;
        if (attempt === 0) onAway(error);
        await Bun.sleep(RETRY_MS);
      }
    }
  };
  // An attempt that hangs must not delay the abort.
  await Promise.race([answered(), aborted(signal)]);
}
