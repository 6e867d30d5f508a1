import { aborted } from "@dueday/core/aborted";
import { sql } from "drizzle-orm";
import journal from "../migrations/meta/_journal.json" with { type: "json" };
import type { Database } from "./connectDatabase";
import { DatabaseError } from "./databaseError";

export type AwaitOptions = {
  /** Ends the wait. */
  signal: AbortSignal;
  /** Gets one line if the first attempt fails, and one if a newer version has migrated the database. */
  logger: { warn(fields: { err?: DatabaseError }, text: string): void };
};

const RETRY_MS = 500;

/** The time stamp of this version's last migration. It is imported, because a bundle has no folder of migrations. */
const NEWEST = Math.max(...journal.entries.map(({ when }) => when));

/**
 * Waits until the database answers or `signal` is aborted, and compares its migrations with those of this version. A newer database is
 * accepted: during an update, processes of the version before go on, and one of them that has ended must be able to start again.
 *
 * @throws DatabaseError if it answers with an error that a retry does not solve, e.g. a wrong password
 * @throws Error if a migration is missing
 */
export async function awaitDatabase(database: Database, { signal, logger }: AwaitOptions): Promise<void> {
  const answered = async () => {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        compare(await readNewest(database), logger);
        return;
      } catch (error) {
        if (!(error instanceof DatabaseError) || !error.retryable) throw error;
        if (attempt === 0) logger.warn({ err: error }, "the database does not answer: waiting for it");
        await Bun.sleep(RETRY_MS);
      }
    }
  };
  // An attempt that hangs must not delay the abort.
  await Promise.race([answered(), aborted(signal)]);
}

/** The time stamp of the last migration that was applied, 0 if none was. */
async function readNewest(database: Database): Promise<number> {
  const [row] = await database.run("read its migrations", (db) =>
    db.execute<{ newest: string | null }>(sql`select max(created_at) as newest from drizzle.__drizzle_migrations`),
  );
  return Number(row?.newest ?? 0);
}

function compare(applied: number, logger: AwaitOptions["logger"]): void {
  if (applied < NEWEST) throw new Error("the database lacks migrations of this version: run `bun run migrate` first");
  if (applied > NEWEST)
    logger.warn(
      {},
      "a newer version of this service has migrated the database: replace this process with one of that version",
    );
}
