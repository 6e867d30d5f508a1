import { encodeEditProvDetails, type ProviderDetailsArgument } from "@dueday/core/calldata/encodeEditProvDetails";
import type { ProfileFacts } from "@dueday/core/schemas/preflight";
import type { Address } from "viem";
import { cleanedWarnings, urlWarnings } from "./planEditDetails";
import type { PreparePlan } from "./preparePlan";

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
    refusals: [],
    warnings: [...urlWarnings("profile.url", profile.url), ...cleanedWarnings("profile", profile)],
    ways: [[{ title: "editProvDetails", to: contract, data: encodeEditProvDetails(profile) }]],
  };
}
