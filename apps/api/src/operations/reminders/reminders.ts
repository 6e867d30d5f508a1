import { ServiceError } from "@dueday/core/errors";
import { ReminderKind } from "@dueday/core/reminders/reminderKind";
import { Nullable } from "@dueday/core/schema";
import { readMailbox } from "@dueday/db/reminders/mailboxes";
import type { MailSecrets } from "@dueday/db/reminders/mailSecrets";
import { type Static, Type } from "@sinclair/typebox";
import type { Hex } from "viem";
import type { Context } from "../../operation/context";
import { accountOfSession } from "../portal/portalSession";

const MOST_MAILBOX = 254;

/** ASCII without characters that have a meaning in a header or an envelope: no space, bracket, double quote, comma, colon or control. */
export const Mailbox = Type.String({
  maxLength: MOST_MAILBOX,
  pattern:
    "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*\\.)+[A-Za-z0-9]+(?:-+[A-Za-z0-9]+)*$",
  description: "An e-mail address",
  expects: "an e-mail address such as person@example.org",
});

export const Kinds = Type.Array(ReminderKind, { uniqueItems: true, maxItems: 20, description: "What is mailed" });

export const RemindersView = Type.Object({
  mailbox: { ...Nullable(Mailbox), description: "null: none is stored, or SECRETS_KEY has changed since" },
  kinds: Kinds,
  confirmed: Type.Boolean({
    description:
      "Whether the mailbox's owner has followed the link of the confirmation. Until then nothing else is mailed",
  }),
});

/** The token in a link of a mail. */
export const LinkToken = Type.String({
  pattern: "^[A-Za-z0-9_-]{20,120}$",
  maxLength: 120,
  description: "Text in the link of the mail",
  expects: "the text in the link of the mail",
});

/** @throws ServiceError REMINDERS_DISABLED */
export function requireMail({ mail }: Context): MailSecrets {
  if (mail !== null) return mail;
  throw new ServiceError(
    "REMINDERS_DISABLED",
    "This service sends no reminders by e-mail: its operator has to set SMTP_URL, MAIL_FROM, PUBLIC_URL and SECRETS_KEY. GET /events and webhooks have the same events",
  );
}

/** The account that is signed in, and the secrets that encrypt its mailbox. @throws ServiceError SESSION_REQUIRED; REMINDERS_DISABLED */
export function requireReminders(context: Context): { account: Hex; secrets: MailSecrets } {
  return { account: accountOfSession(context), secrets: requireMail(context) };
}

/** What is stored of an account. */
export async function viewReminders(
  { database }: Context,
  secrets: MailSecrets,
  account: Hex,
): Promise<Static<typeof RemindersView>> {
  return (await readMailbox(database, secrets, account)) ?? { mailbox: null, kinds: [], confirmed: false };
}
