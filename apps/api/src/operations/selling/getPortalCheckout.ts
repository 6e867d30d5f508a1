import { readCheckoutSettings } from "@dueday/db/selling/checkoutSettings";
import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { accountOfSession } from "../portal/portalSession";
import { CheckoutSettingsView, NO_SETTINGS } from "./checkoutSettings";

export const getPortalCheckout = defineOperation({
  name: "get_portal_checkout",
  http: { method: "GET", path: "/portal/checkout" },
  summary: "Where your checkouts may be framed, and where payers may return to",
  description:
    "Needs a portal session. Empty lists before anything was stored: then no page may frame, and none is returned to.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({}),
  output: CheckoutSettingsView,
  example: {},
  async handler(context) {
    return (await readCheckoutSettings(context.database, accountOfSession(context))) ?? NO_SETTINGS;
  },
});
