import type { ReminderKind } from "@dueday/core/reminders/reminderKind";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import type { Database } from "../connectDatabase";
import { fromBytes, toBytes } from "../rows/bytes";
import { insertMail } from "./insertMail";
import type { MailSecrets } from "./mailSecrets";

/** Where an account is reminded. */
export type StoredMailbox = {
  /** Null where SECRETS_KEY has changed since the mailbox was stored. */
  mailbox: string | null;
  kinds: ReminderKind[];
  confirmed: boolean;
};

/** Hours for which the link of a confirmation works, and the fewest hours between two confirmations of a mailbox. */
export const CONFIRMATION_HOURS = 24;
const CONFIRMATION_MS = CONFIRMATION_HOURS * 3_600_000;

/** The mailbox of an account; null where it has none. */
export async function readMailbox(
  database: Database,
  secrets: Pick<MailSecrets, "open">,
  account: Hex,
): Promise<StoredMailbox | null> {
  const [row] = await database.run(
    "read a mailbox",
    () => database.sql<{ mailbox: Uint8Array; kinds: ReminderKind[]; confirmed: boolean }[]>`
      select mailbox, kinds, confirmed_at is not null as confirmed from mailboxes where account = ${toBytes(account)}`,
  );
  return row === undefined ? null : { ...row, mailbox: secrets.open(fromBytes(row.mailbox), account) };
}

/**
 * Sets the mailbox and the kinds of an account. An address that the account has not confirmed gets a confirmation, unless its mailbox
 * got one within a day, for any account. The caller can't see whether one is sent.
 */
export async function storeMailbox(
  database: Database,
  secrets: MailSecrets,
  { account, mailbox, kinds, now }: { account: Hex; mailbox: string; kinds: readonly ReminderKind[]; now: Date },
): Promise<void> {
  const [address, hash, at] = [toBytes(account), secrets.hashOf(mailbox), now.toISOString()];
  await database.run("store a mailbox", () =>
    database.sql.begin(async (sql) => {
      const [before] = await sql<{ same: boolean; confirmed: boolean }[]>`
        select mailbox_hash = ${toBytes(hash)} as same, confirmed_at is not null as confirmed
        from mailboxes where account = ${address} for update`;
      const isConfirmed = before?.same === true && before.confirmed;
      await sql`
        insert into mailboxes values (${address}, ${toBytes(secrets.seal(mailbox, account))}, ${toBytes(hash)}, ${[...kinds]}, null, 0, ${at})
        on conflict (account) do update set mailbox = excluded.mailbox, mailbox_hash = excluded.mailbox_hash, kinds = excluded.kinds,
          confirmed_at = case when ${isConfirmed} then mailboxes.confirmed_at end, refusals = 0, updated_at = excluded.updated_at`;
      await sql`delete from mails where account = ${address} and state = 'waiting'
        and (mailbox_hash <> ${toBytes(hash)} or wants <> all(${[...kinds]}))`;
      if (!isConfirmed) await requestConfirmation(sql, secrets, { account, mailbox, hash, now });
    }),
  );
}

/** Requests for one mailbox run one after the other: the lock covers all its spellings. */
async function requestConfirmation(
  sql: TransactionSql,
  secrets: MailSecrets,
  { account, mailbox, hash, now }: { account: Hex; mailbox: string; hash: Hex; now: Date },
): Promise<void> {
  const limitHash = secrets.limitHashOf(mailbox);
  await sql`select pg_advisory_xact_lock(hashtextextended(${limitHash}, 0))`;
  const since = new Date(now.getTime() - CONFIRMATION_MS).toISOString();
  const [recent] = await sql`select from mail_confirmations
    where limit_hash = ${toBytes(limitHash)} and requested_at > ${since} limit 1`;
  if (recent !== undefined) return;
  const confirmationId = crypto.randomUUID();
  await sql`insert into mail_confirmations values
    (${confirmationId}, ${toBytes(account)}, ${toBytes(hash)}, ${toBytes(limitHash)}, ${now.toISOString()}, null)`;
  const facts = { kind: "confirmation", confirmationId } as const;
  const subject = `confirmation ${confirmationId}`;
  await insertMail(sql, { account, mailboxHash: hash, subject, wants: null, facts }, now);
}

/**
 * Confirms a mailbox by the link of a mail.
 *
 * @returns false where the link has expired, was used, or is for another mailbox than the account's present one
 */
export async function confirmMailbox(database: Database, confirmationId: string, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - CONFIRMATION_MS).toISOString();
  const rows = await database.run(
    "confirm a mailbox",
    () => database.sql`
      with used as (
        update mail_confirmations set used_at = ${now.toISOString()}
        where id = ${confirmationId} and used_at is null and requested_at > ${since} returning account, mailbox_hash
      )
      update mailboxes b set confirmed_at = ${now.toISOString()}, refusals = 0 from used
      where b.account = used.account and b.mailbox_hash = used.mailbox_hash returning b.account`,
  );
  return rows.length > 0;
}

/**
 * Deletes the mailbox of an account and its mails. The rows that limit confirmations stay for a day: of the mailbox,
 * they contain only hashes.
 *
 * @param mailboxHash deletes the mailbox only if it has this hash
 */
export async function deleteMailbox(database: Database, account: Hex, mailboxHash?: Hex): Promise<void> {
  await database.run("delete a mailbox", () =>
    database.sql.begin(async (sql) => {
      const isIt = mailboxHash === undefined ? sql`true` : sql`mailbox_hash = ${toBytes(mailboxHash)}`;
      const deleted =
        await sql`delete from mailboxes where account = ${toBytes(account)} and ${isIt} returning account`;
      if (deleted.length > 0) await sql`delete from mails where account = ${toBytes(account)}`;
    }),
  );
}
