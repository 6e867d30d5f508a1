import type { Database } from "../connectDatabase";
import { CONFIRMATION_HOURS } from "./mailboxes";

const HOUR_MS = 3_600_000;
/** All mails about one charge are made within less time than this. As long as the row of a mail is kept, the mail is not made again. */
const MAILS_KEPT_DAYS = 90;
const UNCONFIRMED_KEPT_DAYS = 7;

/** Deletes old mails, confirmations that no longer limit others, and mailboxes that were not confirmed. */
export async function pruneMails(database: Database, now: Date): Promise<void> {
  const before = (hours: number) => new Date(now.getTime() - hours * HOUR_MS).toISOString();
  await database.run("prune mails", () =>
    database.sql.begin(async (sql) => {
      await sql`delete from mails where created_at < ${before(MAILS_KEPT_DAYS * 24)}`;
      await sql`delete from mail_confirmations where requested_at < ${before(CONFIRMATION_HOURS)}`;
      await sql`with dropped as (delete from mailboxes where confirmed_at is null and updated_at < ${before(UNCONFIRMED_KEPT_DAYS * 24)} returning account)
        delete from mails where account in (select account from dropped)`;
    }),
  );
}
