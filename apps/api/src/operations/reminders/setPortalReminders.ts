import { DEFAULT_KINDS } from "@dueday/core/reminders/reminderKind";
import { storeMailbox } from "@dueday/db/reminders/mailboxes";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { withDefault } from "../../operation/paging";
import { Kinds, Mailbox, RemindersView, requireReminders, viewReminders } from "./reminders";

export const setPortalReminders = defineOperation({
  name: "set_portal_reminders",
  http: { method: "PUT", path: "/portal/reminders" },
  summary: "Set where and of what you are reminded by e-mail",
  description:
    "Needs a portal session. A new mailbox gets a mail with a link that confirms it, valid for 24 hours; nothing else is mailed before. A mailbox gets one " +
    "such mail a day from all accounts together, and the answer does not show whether it did: repeat the request a day later for another one. An account, and a client's " +
    "address, can ask for three a day.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "REMINDERS_DISABLED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({
    mailbox: inBody(Mailbox),
    kinds: inBody(withDefault(Kinds, [...DEFAULT_KINDS])),
  }),
  output: RemindersView,
  example: { mailbox: "person@example.org", kinds: ["will_fail", "failed"] },
  async handler(context, { mailbox, kinds }) {
    const { account, secrets } = requireReminders(context);
    const present = await viewReminders(context, secrets, account);
    // What is counted depends on the account's own mailbox alone, never on those of others.
    if (present.mailbox !== mailbox || !present.confirmed) await context.counters.mailConfirmation(account);
    await storeMailbox(context.database, secrets, { account, mailbox, kinds, now: new Date(context.clock()) });
    return viewReminders(context, secrets, account);
  },
});
