import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import type { Subscription } from "@dueday/core/schema";
import type { Address } from "viem";
import { presentSubscription } from "../reads/presentSubscription";
import type { SubscriptionFacts } from "../reads/readSubscriptionFacts";
import type { PreparePlan } from "./preparePlan";
import { summaries } from "./summaries";

/** cancelSubscription() by `provider`. */
export function planCancelSubscription(
  { record, token }: SubscriptionFacts,
  { contract, provider }: { contract: Address; provider: Address },
): PreparePlan<{ subscription: Subscription }> {
  const refusals: Refusal[] = [];
  if (record.provider !== provider) refusals.push(protocolRefusal("13"));
  if (record.cancelled) refusals.push(protocolRefusal("23", "The subscription is already cancelled."));
  const subscription = presentSubscription(record, token);
  return {
    facts: { subscription },
    summary: summaries.cancel(subscription),
    refusals,
    warnings: [{ code: "IRREVERSIBLE", message: "A cancelled subscription can't be resumed; create a new one." }],
    ways: [[{ title: "cancelSubscription", to: contract, data: encodeCancelSubscription(record) }]],
  };
}
