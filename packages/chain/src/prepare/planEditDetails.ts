import { encodeEditDetails } from "@dueday/core/calldata/encodeEditDetails";
import type { DetailsArgument } from "@dueday/core/calldata/subscriptionArgument";
import type { Warning } from "@dueday/core/errors";
import { invalidInput } from "@dueday/core/errors";
import type { Subscription } from "@dueday/core/schema";
import { checkDetails, isUnusualUrl } from "@dueday/core/text/checkDetails";
import type { Address } from "viem";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriptionFacts } from "../reads/readSubscriptionFacts";
import type { PreparePlan } from "./preparePlan";

export type PlanEditDetailsParameters = { contract: Address; provider: Address; details: DetailsArgument };

/** editDetails() by `provider`. */
export function planEditDetails(
  { record, token }: SubscriptionFacts,
  { contract, provider, details }: PlanEditDetailsParameters,
): PreparePlan<{ subscription: Subscription }> {
  const message = "Only the provider of this subscription can edit its details: the transaction would change nothing.";
  return {
    facts: { subscription: presentSubscription(record, token) },
    // The contract would not revert, so there is no revert to show.
    refusals: record.provider === provider ? [] : [{ issue: { code: "NOT_THE_PROVIDER", message } }],
    warnings: detailsWarnings(details),
    ways: [[{ title: "editDetails", to: contract, data: encodeEditDetails(details, record.id) }]],
  };
}

/** @throws ServiceError VALIDATION_ERROR with an issue for each fault of url and description. */
export function requireDetails(details: DetailsArgument): void {
  const issues = checkDetails(details);
  if (issues.length > 0) throw invalidInput(issues);
}

/** Hints about details that are accepted. */
export function detailsWarnings({ url }: DetailsArgument): Warning[] {
  if (!isUnusualUrl(url)) return [];
  const message = "details.url is not an https address: many wallets and sites will not show it as a link.";
  return [{ code: "URL_NOT_HTTPS", message }];
}
