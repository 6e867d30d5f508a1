import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { protocolRefusal, type Refusal } from "@dueday/core/refusal";
import type { Subscription } from "@dueday/core/schema";
import { getAddress } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { presentSubscription } from "../reads/presentSubscription";
import { readSubscriptionFacts } from "../reads/readSubscriptionFacts";
import { expectNamed, targetOf } from "./namedSubscription";
import type { PreparePlan } from "./preparePlan";
import { type PrepareOnSubscription, prepareTransactions } from "./prepareTransactions";
import { summaries } from "./summaries";

/** Unsigned cancelSubscription() by the provider. Throws ServiceError as `prepareTransactions`, and NOT_FOUND. */
export async function prepareCancelSubscription(client: ChainClient, parameters: PrepareOnSubscription) {
  return prepareTransactions(client, { ...parameters, plan: plan(client, parameters) });
}

async function plan(
  client: ChainClient,
  parameters: PrepareOnSubscription,
): Promise<PreparePlan<{ subscription: Subscription }>> {
  const found = await readSubscriptionFacts(client, await targetOf(parameters));
  const { record, token } = expectNamed(client, parameters, found);
  const refusals: Refusal[] = [];
  if (record.provider !== getAddress(parameters.from)) refusals.push(protocolRefusal("13"));
  if (record.cancelled) refusals.push(protocolRefusal("23", "The subscription is already cancelled."));
  const subscription = presentSubscription(record, token);
  return {
    facts: { subscription },
    summary: summaries.cancel(subscription),
    refusals,
    warnings: [{ code: "IRREVERSIBLE", message: "A cancelled subscription can't be resumed; create a new one." }],
    ways: [[{ title: "cancelSubscription", to: parameters.chain.contract, data: encodeCancelSubscription(record) }]],
  };
}
