import { deleteMailbox } from "@dueday/db/reminders/mailboxes";
import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { RemindersView, requireReminders, viewReminders } from "./reminders";

export const deletePortalReminders = defineOperation({
  name: "delete_portal_reminders",
  http: { method: "DELETE", path: "/portal/reminders" },
  summary: "Delete your mailbox and its mails",
  description: "Needs a portal session. The mailbox and all mails to it are deleted; nothing is mailed from then on.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "REMINDERS_DISABLED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({}),
  output: RemindersView,
  example: {},
  async handler(context) {
    const { account, secrets } = requireReminders(context);
    await deleteMailbox(context.database, account);
    return viewReminders(context, secrets, account);
  },
});
