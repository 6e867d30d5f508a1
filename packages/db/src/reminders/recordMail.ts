import type { Database } from "../connectDatabase";
import { toBytes } from "../rows/bytes";
import type { LeasedMail } from "./leaseMails";

/** Refusals in a row after which a mailbox has to be confirmed again. */
const MOST_REFUSALS = 3;

/** Records that the server has taken a mail. */
export async function recordSent(database: Database, { id, account }: LeasedMail, now: Date): Promise<void> {
  await database.run("record a mail", () =>
    database.sql.begin(async (sql) => {
      await sql`update mails set state = 'sent', sent_at = ${now.toISOString()}, leased_by = null, leased_until = null, failure = null where id = ${id}`;
      await sql`update mailboxes set refusals = 0 where account = ${toBytes(account)} and refusals > 0`;
    }),
  );
}

export type FailedAttempt = {
  /** A code without any address. */
  failure: string;
  /** Null: it is not tried again. */
  nextAttemptAt: Date | null;
  /** The server refused the mailbox for good. */
  isRefused: boolean;
  now: Date;
};

/**
 * Records an attempt that failed. A mailbox that the server refuses `MOST_REFUSALS` times in a row gets nothing more until its owner
 * confirms it again.
 */
export async function recordFailedMail(
  database: Database,
  { id, account }: LeasedMail,
  { failure, nextAttemptAt, isRefused, now }: FailedAttempt,
): Promise<void> {
  await database.run("record a failed mail", () =>
    database.sql.begin(async (sql) => {
      await sql`update mails set attempts = attempts + 1, failure = ${failure}, leased_by = null, leased_until = null,
        state = ${nextAttemptAt === null ? "failed" : "waiting"}, next_attempt_at = coalesce(${nextAttemptAt?.toISOString() ?? null}, next_attempt_at)
        where id = ${id}`;
      if (isRefused)
        await sql`update mailboxes set refusals = refusals + 1,
          updated_at = case when refusals + 1 >= ${MOST_REFUSALS} then ${now.toISOString()} else updated_at end,
          confirmed_at = case when refusals + 1 >= ${MOST_REFUSALS} then null else confirmed_at end where account = ${toBytes(account)}`;
    }),
  );
}

/** Releases mails that a worker has leased and not sent: one, or all of them. */
export async function releaseMails(database: Database, workerId: string, id?: string): Promise<void> {
  const { sql } = database;
  await database.run(
    "release mails",
    () => sql`update mails set leased_by = null, leased_until = null
      where leased_by = ${workerId} ${id === undefined ? sql`` : sql`and id = ${id}`}`,
  );
}
