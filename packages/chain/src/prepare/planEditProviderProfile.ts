import { encodeEditProvDetails, type ProviderDetailsArgument } from "@dueday/core/calldata/encodeEditProvDetails";
import { checkProfile } from "@dueday/core/checkDetails";
import { invalidInput } from "@dueday/core/errors";
import type { ProfileFacts } from "@dueday/core/schemas/preflight";
import type { Address } from "viem";
import { cleanedWarnings, urlWarnings } from "./planEditDetails";
import type { PreparePlan } from "./preparePlan";
import { summaries } from "./summaries";

export type PlanEditProviderProfileParameters = {
  contract: Address;
  provider: Address;
  profile: ProviderDetailsArgument;
};

/** editProvDetails() by `provider`: all six texts are replaced. The contract accepts it from any wallet, about that wallet. */
export function planEditProviderProfile({
  contract,
  provider,
  profile,
}: PlanEditProviderProfileParameters): PreparePlan<ProfileFacts> {
  return {
    facts: { provider, profile },
    summary: summaries.editProfile(provider),
    refusals: [],
    warnings: [...urlWarnings("profile.url", profile.url), ...cleanedWarnings("profile", profile)],
    ways: [[{ title: "editProvDetails", to: contract, data: encodeEditProvDetails(profile) }]],
  };
}

/** @throws ServiceError VALIDATION_ERROR naming each text that can't be published */
export function requireProfile(profile: ProviderDetailsArgument): void {
  const issues = checkProfile(profile);
  if (issues.length > 0) throw invalidInput(issues);
}
