import { ServiceError } from "@dueday/core/errors";
import { confirmMailbox } from "@dueday/db/reminders/mailboxes";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { LinkToken, requireMail } from "./reminders";

export const confirmReminders = defineOperation({
  name: "confirm_reminders",
  http: { method: "POST", path: "/reminders/confirm" },
  summary: "Confirm a mailbox by the link of its mail",
  description:
    "Takes the token in the link of the mail of PUT /portal/reminders, within 24 hours, once, while the account has this mailbox. It needs no session: the " +
    "mail may be read on another device. The link itself shows a page with a button, as programs that check mails follow links.",
  chainScoped: false,
  bucket: "cheap",
  area: "reminders",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
  errors: ["REMINDERS_DISABLED", "NOT_FOUND", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({ token: inBody(LinkToken) }),
  output: Type.Object({ confirmed: Type.Literal(true, { description: "Reminders are mailed from now on" }) }),
  example: { token: "b2s1Y29uZmlybWF0aW9uIGV4YW1wbGUgdG9rZW4" },
  async handler(context, { token }) {
    const id = requireMail(context).readConfirmToken(token);
    const isConfirmed = id !== null && (await confirmMailbox(context.database, id, new Date(context.clock())));
    if (isConfirmed) return { confirmed: true as const };
    await context.counters.failedMailToken();
    throw new ServiceError(
      "NOT_FOUND",
      "This link has expired or was used. Enter the mailbox again: a new link is mailed at the earliest a day after the last one",
    );
  },
});
