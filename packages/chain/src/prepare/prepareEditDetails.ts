import { encodeEditDetails } from "@dueday/core/calldata/encodeEditDetails";
import type { DetailsArgument } from "@dueday/core/calldata/subscriptionArgument";
import { checkDetails, isUnusualUrl } from "@dueday/core/checkDetails";
import type { Warning } from "@dueday/core/errors";
import { invalidInput } from "@dueday/core/errors";
import type { Subscription } from "@dueday/core/schema";
import { cleanText, TEXT_LIMIT_BYTES } from "@dueday/core/text/cleanText";
import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { presentSubscription } from "../reads/presentSubscription";
import { readSubscriptionFacts } from "../reads/readSubscriptionFacts";
import { expectNamed, targetOf } from "./namedSubscription";
import type { PreparePlan } from "./preparePlan";
import { type PrepareOnSubscription, prepareTransactions } from "./prepareTransactions";
import { summaries } from "./summaries";

type PrepareEditDetails = PrepareOnSubscription & {
  /** From `requireDetails`. */
  details: DetailsArgument;
};

/** Unsigned editDetails() by the provider. Throws ServiceError as `prepareTransactions`, and NOT_FOUND. */
export async function prepareEditDetails(client: ChainClient, parameters: PrepareEditDetails) {
  return prepareTransactions(client, { ...parameters, plan: plan(client, parameters) });
}

async function plan(
  client: ChainClient,
  parameters: PrepareEditDetails,
): Promise<PreparePlan<{ subscription: Subscription }>> {
  const { chain, details } = parameters;
  const found = await readSubscriptionFacts(client, await targetOf(parameters));
  const { record, token } = expectNamed(client, parameters, found);
  const message = "Only its provider can edit the details: this would change nothing.";
  const subscription = presentSubscription(record, token);
  return {
    facts: { subscription },
    summary: summaries.editDetails(subscription),
    // The contract would not revert, so there is no revert to show.
    refusals: record.provider === getAddress(parameters.from) ? [] : [{ issue: { code: "NOT_THE_PROVIDER", message } }],
    warnings: detailsWarnings(details),
    ways: [[{ title: "editDetails", to: chain.contract, data: encodeEditDetails(details, record.id) }]],
  };
}

/** `details`, checked. @throws ServiceError VALIDATION_ERROR with an issue for each fault of url and description */
export function requireDetails(details: DetailsArgument): DetailsArgument {
  const issues = checkDetails(details);
  if (issues.length > 0) throw invalidInput(issues);
  return details;
}

/** Hints about details that are accepted. */
export function detailsWarnings(details: DetailsArgument): Warning[] {
  const { url, description } = details;
  return [...urlWarnings("details.url", url), ...cleanedWarnings("details", { url, description })];
}

/** @param path of the field */
export function urlWarnings(path: string, url: string): Warning[] {
  if (!isUnusualUrl(url)) return [];
  const message = `${path} is not an https address: many wallets and sites will not show it as a link.`;
  return [{ code: "URL_NOT_HTTPS", message }];
}

/** One warning that names the texts that readers will see in another form than they were sent in. */
export function cleanedWarnings(path: string, texts: Readonly<Record<string, string>>): Warning[] {
  const changed = Object.entries(texts).filter(([, text]) => cleanText(text).text !== text);
  if (changed.length === 0) return [];
  const names = changed.map(([name]) => `${path}.${name}`).join(", ");
  const message =
    `${names}: line breaks, control and invisible characters, and what is beyond ${TEXT_LIMIT_BYTES} bytes, are stored on chain as sent, ` +
    "but this service shows U+FFFD in their place, or cuts the text. Send plain text of one line.";
  return [{ code: "TEXT_WILL_BE_CLEANED", message }];
}
