import { ServiceError } from "@dueday/core/errors";
import { deleteMailbox } from "@dueday/db/reminders/mailboxes";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { LinkToken, requireMail } from "./reminders";

export const unsubscribeReminders = defineOperation({
  name: "unsubscribe_reminders",
  http: { method: "POST", path: "/reminders/unsubscribe" },
  summary: "End the reminders to a mailbox by the link of a mail",
  description:
    "Takes the token in the unsubscribe link of any mail, without a session and at any time. The account's mailbox and its mails are deleted; other accounts " +
    "with the same mailbox keep theirs. A repeated call changes nothing. Mail programs follow the link with one click (RFC 8058).",
  chainScoped: false,
  bucket: "cheap",
  area: "reminders",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["REMINDERS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ token: inBody(LinkToken) }),
  output: Type.Object({
    unsubscribed: Type.Literal(true, { description: "No more mails about this account are sent to the mailbox" }),
  }),
  example: { token: "dW5zdWJzY3JpYmluZyBleGFtcGxlIHRva2Vu" },
  async handler(context, { token }) {
    const reminders = requireMail(context).readUnsubscribeToken(token);
    if (reminders === null) {
      await context.counters.failedMailToken();
      throw new ServiceError("NOT_FOUND", "This is not a link of a mail of this service: copy all of it");
    }
    await deleteMailbox(context.database, reminders.account, reminders.mailboxHash);
    return { unsubscribed: true as const };
  },
});
