import { Type } from "@sinclair/typebox";
import { url } from "./kinds";
import type { SettingsReader } from "./settingsReader";

/** A mailbox, or a name with one: `Dueday <reminders@dueday.example>`. */
const sender = Type.String({
  pattern:
    '^(?:[^\\x00-\\x1f\\x7f<>@",;:]{1,80} <[^\\s<>@",;:]{1,64}@[A-Za-z0-9.-]{1,255}>|[^\\s<>@",;:]{1,64}@[A-Za-z0-9.-]{1,255})$',
  description: "a mailbox, or a name and a mailbox such as Dueday <reminders@dueday.example>",
});

/** Settings of reminders by e-mail, which are off without `SMTP_URL`. */
export function readMail(reader: SettingsReader, { publicUrl }: { publicUrl: string | null }) {
  const smtpUrl = reader.readOptional("SMTP_URL", url("smtp", "smtps")) ?? null;
  const from = reader.readOptional("MAIL_FROM", sender) ?? null;
  const replyTo = reader.readOptional("MAIL_REPLY_TO", sender) ?? null;
  if (smtpUrl !== null && !reader.isSet("MAIL_FROM"))
    reader.fault("MAIL_FROM", "is missing: mails through SMTP_URL need a sender");
  if (smtpUrl !== null && !reader.isSet("PUBLIC_URL"))
    reader.fault("PUBLIC_URL", "is missing: the links in mails through SMTP_URL lead there");
  if (smtpUrl === null || from === null || publicUrl === null) return { mail: null };
  return { mail: { smtpUrl, from, replyTo, publicUrl } };
}

/** The server that sends mails, and their sender, reply address and base of links. */
export type MailSettings = NonNullable<ReturnType<typeof readMail>["mail"]>;
