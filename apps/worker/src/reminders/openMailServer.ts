import type { MailSettings } from "@dueday/config/mail";
import { createTransport } from "nodemailer";

/** A mail, ready to be sent. */
export type OutgoingMail = {
  to: string;
  subject: string;
  text: string;
  html: string;
  /** Without angle brackets. */
  messageId: string;
  unsubscribeUrl: string;
};

/**
 * What became of a mail. `refused`: the server never accepts it, for this mailbox or at all; `deferred`: it may accept it later;
 * `unreachable`: the server does not work at present, whatever the mail.
 */
export type MailOutcome =
  | { sent: true }
  | { sent: false; kind: "refused" | "deferred" | "unreachable"; ofMailbox: boolean; code: string };

export type MailServer = {
  send(mail: OutgoingMail): Promise<MailOutcome>;
  close(): void;
};

/** Connections at a time. */
const CONNECTIONS = 3;
const CONNECT_MS = 10_000;
/** A server that is silent for this time is away. */
const SILENT_MS = 30_000;
/** A mail takes at most this time, however busy its server keeps the connection. */
export const SEND_MS = 60_000;

/** Opens the server that all mails are sent through. No file and no URL is read for a mail, whatever is in it. */
export function openMailServer(
  { smtpUrl, from, replyTo }: MailSettings,
  { sendMs = SEND_MS }: { sendMs?: number } = {},
): MailServer {
  const connect = () =>
    createTransport({
      url: smtpUrl,
      pool: true,
      maxConnections: CONNECTIONS,
      // A mail whose connection was cut may have been accepted: its row in the database decides when it is sent again.
      maxRequeues: 0,
      connectionTimeout: CONNECT_MS,
      greetingTimeout: CONNECT_MS,
      socketTimeout: SILENT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    });
  let transport = connect();
  return {
    async send({ to, subject, text, html, messageId, unsubscribeUrl }) {
      const used = transport;
      const { promise: expired, reject } = Promise.withResolvers<never>();
      const timer = setTimeout(() => reject(new SlowServer()), sendMs);
      const headers = {
        "List-Unsubscribe": `<${unsubscribeUrl}>`,
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
        "Auto-Submitted": "auto-generated",
      };
      // An address in an object is not parsed: a comma in a text could add a receiver.
      const mail = { from, to: { name: "", address: to }, subject, text, html, messageId: `<${messageId}>`, headers };
      try {
        await Promise.race([used.sendMail(replyTo === null ? mail : { ...mail, replyTo }), expired]);
        return { sent: true };
      } catch (error) {
        if (error instanceof SlowServer && used === transport) {
          // The connections of this transport are still busy with the mail.
          transport = connect();
          used.close();
        }
        return outcomeOf(error);
      } finally {
        clearTimeout(timer);
      }
    },
    close: () => transport.close(),
  };
}

class SlowServer extends Error {
  readonly code = "ESLOW";
  override message = "the mail server did not take a mail in time";
}

/** `ECONNECTION`: the server closed a connection that it had accepted. */
const OF_MAIL: readonly string[] = ["ESLOW", "EMESSAGE", "EENVELOPE", "ECONNECTION"];

/** The messages of these errors contain the receiver, so only codes are returned. */
function outcomeOf(error: unknown): MailOutcome {
  const code = textOf(error, "code") ?? "EUNKNOWN";
  const response = Number(textOf(error, "responseCode") ?? Number.NaN);
  const command = textOf(error, "command") ?? "";
  const isAnswer = response >= 400 && response < 600 && code !== "EAUTH";
  const ofMailbox = command.startsWith("RCPT") || code === "EENVELOPE";
  const short = isAnswer ? `${code} ${response}` : code;
  // 421 closes the connection: it is about the server, not about the mail.
  if (isAnswer && response >= 500) return { sent: false, kind: "refused", ofMailbox, code: short };
  if (isAnswer && response !== 421) return { sent: false, kind: "deferred", ofMailbox, code: short };
  // The server was reached, and did not answer to this mail: the mail may be the cause, so its attempts are counted.
  const isOfMail = OF_MAIL.includes(code) || command === "DATA";
  return { sent: false, kind: isOfMail ? "deferred" : "unreachable", ofMailbox: false, code: short };
}

function textOf(error: unknown, name: "code" | "responseCode" | "command"): string | null {
  if (!(error instanceof Error)) return null;
  const value: unknown = Reflect.get(error, name);
  return typeof value === "string" || typeof value === "number" ? String(value) : null;
}
