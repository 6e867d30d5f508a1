import { isCheckoutOrigin, isHttpsUrl, isReturnPage } from "@dueday/core/checkoutUrls";
import { type Issue, invalidInput } from "@dueday/core/errors";
import { Nullable, oneLine } from "@dueday/core/schema";
import type { CheckoutSettings } from "@dueday/db/selling/checkoutSettings";
import { type Static, Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { requirePortal } from "../portal/portalSession";

const MOST_ORIGINS = 20;
const MOST_RETURN_URLS = 50;
const Url = { ...oneLine(2_048), minLength: 1 };
const Origin = { ...oneLine(300), minLength: 1 };

export const settingsFields = {
  origins: Type.Array(Origin, {
    maxItems: MOST_ORIGINS,
    description: "Exact https origins whose pages may show the checkout in a frame, such as https://shop.example",
  }),
  returnUrls: Type.Array(Url, {
    maxItems: MOST_RETURN_URLS,
    description: "Exact https origin and path of the pages that a payer may return to; their query is free",
  }),
};

export const SupportUrl = { ...Url, description: "https page where payers find the seller's support" };
export const PaymasterUrl = {
  ...Url,
  description:
    "https URL of a paymaster (ERC-7677), for wallets that have the capability; never called by this service",
};

export const CheckoutSettingsView = Type.Object({
  ...settingsFields,
  supportUrl: Nullable(SupportUrl),
  paymasterUrl: Nullable(PaymasterUrl),
});

/** The settings of a seller that has stored none. */
export const NO_SETTINGS: CheckoutSettings = { origins: [], returnUrls: [], supportUrl: null, paymasterUrl: null };

/**
 * Checks every URL of the settings.
 *
 * @throws ServiceError VALIDATION_ERROR with all faults
 */
export function checkSettings(context: Context, settings: Static<typeof CheckoutSettingsView>): void {
  // A portal on this machine is a trial, whose shop is on this machine too.
  const rules = { toLoopback: new URL(requirePortal(context).origin).protocol === "http:" };
  const issues: Issue[] = [];
  const refuse = (path: string, allowed: string) =>
    issues.push({ code: "MALFORMED", path, message: `must be ${allowed}` });
  for (const [index, origin] of settings.origins.entries()) {
    if (!isCheckoutOrigin(origin, rules))
      refuse(`origins[${index}]`, "an https origin without path and slash, such as https://shop.example");
  }
  for (const [index, url] of settings.returnUrls.entries()) {
    if (!isReturnPage(url, rules))
      refuse(`returnUrls[${index}]`, "an https URL without query and fragment, such as https://shop.example/thanks");
  }
  for (const name of ["supportUrl", "paymasterUrl"] as const) {
    const url = settings[name];
    if (url !== null && !isHttpsUrl(url, rules)) refuse(name, "an https URL");
  }
  if (issues.length > 0) throw invalidInput(issues);
}
