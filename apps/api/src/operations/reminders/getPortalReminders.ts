import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { RemindersView, requireReminders, viewReminders } from "./reminders";

export const getPortalReminders = defineOperation({
  name: "get_portal_reminders",
  http: { method: "GET", path: "/portal/reminders" },
  summary: "Where and of what you are reminded by e-mail",
  description: "Needs a portal session. The mailbox is shown only to the account that stored it.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "REMINDERS_DISABLED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({}),
  output: RemindersView,
  example: {},
  async handler(context) {
    const { account, secrets } = requireReminders(context);
    return viewReminders(context, secrets, account);
  },
});
