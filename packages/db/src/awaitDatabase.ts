import { aborted } from "@dueday/core/aborted";
import { sql } from "drizzle-orm";
import type { Database } from "./connectDatabase";
import { DatabaseError } from "./databaseError";

export type AwaitOptions = {
  /** Ends the wait. */
  signal: AbortSignal;
  /** Told once, where the database does not answer at first. */
  onAway: (reason: DatabaseError) => void;
};

const RETRY_MS = 500;

/**
 * Waits until the database answers, or until it need not be waited for.
 *
 * @throws DatabaseError when it answers with a refusal, e.g. of the password
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
  // An attempt that hangs does not hold up the end.
  await Promise.race([answered(), aborted(signal)]);
}
