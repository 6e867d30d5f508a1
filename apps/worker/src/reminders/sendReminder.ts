import { createHash } from "node:crypto";
import type { Logger } from "@dueday/config/createLogger";
import type { MailSettings } from "@dueday/config/mail";
import type { MailFacts } from "@dueday/core/reminders/mailFacts";
import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import type { Database } from "@dueday/db/connectDatabase";
import { readNames, type StoredNames } from "@dueday/db/history/readNames";
import { type LeasedMail, readDigest } from "@dueday/db/reminders/leaseMails";
import type { MailSecrets } from "@dueday/db/reminders/mailSecrets";
import { recordFailedMail, recordSent } from "@dueday/db/reminders/recordMail";
import type { ContractScope } from "@dueday/db/schema/columns";
import type { Hex } from "viem";
import type { MailMetrics } from "../metrics/mailMetrics";
import { nextAttemptAt } from "../webhooks/retrySchedule";
import type { MailServer, OutgoingMail } from "./openMailServer";
import { renderLetter } from "./renderLetter";
import { writeLetter } from "./writeLetter";

/** What sending needs. */
export type ReminderContext = {
  database: Database;
  secrets: MailSecrets;
  settings: MailSettings;
  server: MailServer;
  /** Unix milliseconds. */
  clock: () => number;
  /** From 0 to 1, for the jitter of retries. */
  random: () => number;
  logger: Logger;
  metrics: MailMetrics;
};

/**
 * Writes a leased mail, sends it and records what became of it.
 *
 * @returns false where the mail server can't be reached: then nothing is recorded, and the mail stays leased
 */
export async function sendReminder(context: ReminderContext, mail: LeasedMail): Promise<boolean> {
  const { database, clock, random, server, logger, metrics } = context;
  const outgoing = await compose(context, mail);
  if (outgoing === null) {
    logger.warn({ mail: mail.id }, "a mail can't be sent: its mailbox was encrypted with another SECRETS_KEY");
    const attempt = { failure: "UNREADABLE", nextAttemptAt: null, isRefused: false, now: new Date(clock()) };
    await recordFailedMail(database, mail, attempt);
    return true;
  }
  const startedAt = performance.now();
  const outcome = await server.send(outgoing);
  metrics.noteAttempt(outcome.sent ? "sent" : outcome.kind, performance.now() - startedAt);
  const now = new Date(clock());
  if (outcome.sent) {
    await recordSent(database, mail, now);
    return true;
  }
  const { kind, code } = outcome;
  if (kind === "unreachable") return false;
  logger.info({ mail: mail.id, kind: mail.facts.kind, failure: code }, "the mail server did not take a mail");
  const nextAt = kind === "refused" ? null : nextAttemptAt(mail.attempts + 1, now.getTime(), random());
  const isRefused = kind === "refused" && outcome.ofMailbox;
  await recordFailedMail(database, mail, { failure: code, nextAttemptAt: nextAt, isRefused, now });
  return true;
}

/** Null where the mailbox can't be decrypted. */
async function compose(context: ReminderContext, mail: LeasedMail): Promise<OutgoingMail | null> {
  const { database, secrets, settings } = context;
  const { account, mailboxHash, facts, scope, id } = mail;
  const to = secrets.open(mail.mailbox, account);
  if (to === null) return null;
  const publicUrl = withoutTrailing(settings.publicUrl, "/");
  const collected = facts.kind === "digest" ? await readDigest(database, id) : [];
  const about = scope === null ? collected : [...collected, { facts, scope }];
  const letter = writeLetter(facts, scope?.chainId ?? null, {
    account,
    publicUrl,
    confirmUrl: (confirmationId) => `${publicUrl}/mail/confirm?token=${secrets.confirmToken(confirmationId)}`,
    names: await readAllNames(database, about),
    collected,
  });
  const unsubscribeUrl = `${publicUrl}/mail/unsubscribe?token=${secrets.unsubscribeToken(account, mailboxHash)}`;
  const reason = "Dueday sends you this because an account for which you confirmed this mailbox asks for it.";
  const footer = {
    reason: facts.kind === "confirmation" ? "Dueday sends this mail at most once a day." : reason,
    unsubscribeUrl,
  };
  return {
    to,
    subject: letter.subject,
    ...renderLetter(letter, footer),
    messageId: messageIdOf(id, settings.from),
    unsubscribeUrl,
  };
}

/** The same for every attempt, so that a mailbox recognises a mail that was sent twice. */
function messageIdOf(id: string, from: string): string {
  const domain = from.slice(from.lastIndexOf("@") + 1).replace(">", "");
  return `${createHash("sha256").update(id).digest("hex").slice(0, 32)}@${domain}`;
}

async function readAllNames(
  database: Database,
  about: readonly { facts: MailFacts; scope: ContractScope }[],
): Promise<Map<number, StoredNames>> {
  const names = new Map<number, StoredNames>();
  for (const [chainId, mails] of Map.groupBy(about, ({ scope }) => scope.chainId)) {
    const [first] = mails;
    if (first === undefined) continue;
    const ids = new Set(mails.flatMap(({ facts }) => planOf(facts)));
    const read = await readNames(database, first.scope, { ids: [...ids], providers: [] });
    if (typeof read !== "string") names.set(chainId, read.value);
  }
  return names;
}

function planOf(facts: MailFacts): Hex[] {
  if (facts.kind === "correction") return [facts.of.plan];
  return "plan" in facts ? [facts.plan] : [];
}
