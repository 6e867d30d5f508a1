import { writeCheckoutSettings } from "@dueday/db/selling/checkoutSettings";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { accountOfSession } from "../portal/portalSession";
import { CheckoutSettingsView, checkSettings, PaymasterUrl, SupportUrl, settingsFields } from "./checkoutSettings";

export const setPortalCheckout = defineOperation({
  name: "set_portal_checkout",
  http: { method: "PUT", path: "/portal/checkout" },
  summary: "Set where your checkouts may be framed, and where payers may return to",
  description:
    "Needs a portal session of the account that created the subscriptions. The settings hold for all of them and replace what was stored: what is not " +
    "sent is removed. URLs are https; http only for pages of this machine, while the service is on it.",
  chainScoped: false,
  bucket: "cheap",
  area: "portal",
  toolsets: [],
  annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  errors: ["PORTAL_DISABLED", "ORIGIN_REFUSED", "SESSION_REQUIRED", "UPSTREAM_UNAVAILABLE"],
  input: Type.Object({
    origins: inBody(settingsFields.origins),
    returnUrls: inBody(settingsFields.returnUrls),
    supportUrl: inBody(Type.Optional(SupportUrl)),
    paymasterUrl: inBody(Type.Optional(PaymasterUrl)),
  }),
  output: CheckoutSettingsView,
  example: { origins: ["https://shop.example"], returnUrls: ["https://shop.example/thanks"] },
  async handler(context, { origins, returnUrls, supportUrl = null, paymasterUrl = null }) {
    const seller = accountOfSession(context);
    const settings = { origins, returnUrls, supportUrl, paymasterUrl };
    checkSettings(context, settings);
    await writeCheckoutSettings(context.database, seller, { ...settings, updatedAt: new Date(context.clock()) });
    return settings;
  },
});
