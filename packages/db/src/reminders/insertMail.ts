import type { MailFacts } from "@dueday/core/reminders/mailFacts";
import type { ReminderKind } from "@dueday/core/reminders/reminderKind";
import type { TransactionSql } from "postgres";
import type { Hex } from "viem";
import { toBytes } from "../rows/bytes";
import type { ContractScope } from "../schema/columns";

export type NewMail = {
  account: Hex;
  mailboxHash: Hex;
  /** What the mail is about: nothing is written where the account has a mail about it that is not closed. */
  subject: string;
  wants: ReminderKind | null;
  facts: MailFacts;
  scope?: ContractScope;
  /** The event that the mail follows from: the mail is sent when the event's block is safe. */
  event?: { id: string; blockNumber: number };
  /** It is sent from this time on. Default: now. */
  dueAt?: Date;
};

/** Writes a mail to be sent. */
export async function insertMail(sql: TransactionSql, mail: NewMail, now: Date): Promise<void> {
  const { account, mailboxHash, subject, wants, facts, scope, event, dueAt = now } = mail;
  await sql`
    insert into mails (id, account, mailbox_hash, chain_id, contract, subject, wants, facts, event_id, block_number, state, next_attempt_at, created_at)
    values (${crypto.randomUUID()}, ${toBytes(account)}, ${toBytes(mailboxHash)}, ${scope?.chainId ?? null}, ${scope?.contract ?? null},
      ${subject}, ${wants}, ${JSON.stringify(facts)}::text::jsonb, ${event?.id ?? null}, ${event?.blockNumber ?? null}, 'waiting',
      ${dueAt.toISOString()}, ${now.toISOString()})
    on conflict (account, subject) where not closed do nothing`;
}
