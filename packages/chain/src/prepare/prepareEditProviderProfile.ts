import { encodeEditProvDetails, type ProviderDetailsArgument } from "@dueday/core/calldata/encodeEditProvDetails";
import { checkProfile } from "@dueday/core/checkDetails";
import { invalidInput } from "@dueday/core/errors";
import type { ProfileFacts } from "@dueday/core/schemas/preflight";
import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { cleanedWarnings, urlWarnings } from "./prepareEditDetails";
import type { PreparePlan } from "./preparePlan";
import { type PrepareParameters, prepareTransactions } from "./prepareTransactions";
import { summaries } from "./summaries";

type PrepareEditProviderProfile = PrepareParameters & {
  /** From `requireProfile`. */
  profile: ProviderDetailsArgument;
};

/**
 * Unsigned editProvDetails(): all six texts are replaced. The contract accepts it from any wallet, for the profile of that wallet. Throws ServiceError as
 * `prepareTransactions`.
 */
export async function prepareEditProviderProfile(client: ChainClient, parameters: PrepareEditProviderProfile) {
  const { chain, profile } = parameters;
  const provider = getAddress(parameters.from);
  const plan: PreparePlan<ProfileFacts> = {
    facts: { provider, profile },
    summary: summaries.editProfile(provider),
    refusals: [],
    warnings: [...urlWarnings("profile.url", profile.url), ...cleanedWarnings("profile", profile)],
    ways: [[{ title: "editProvDetails", to: chain.contract, data: encodeEditProvDetails(profile) }]],
  };
  return prepareTransactions(client, { ...parameters, plan: Promise.resolve(plan) });
}

/** `profile`, checked. @throws ServiceError VALIDATION_ERROR naming each text that can't be published */
export function requireProfile(profile: ProviderDetailsArgument): ProviderDetailsArgument {
  const issues = checkProfile(profile);
  if (issues.length > 0) throw invalidInput(issues);
  return profile;
}
