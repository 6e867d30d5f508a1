import { readSubscriberFacts, type SubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { protocolRefusal, type Refusal } from "@dueday/core/reverts/refusal";
import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { RequestContext } from "../../context";
import { defineOperation, inBody } from "../../operation";
import { singleAnswer } from "../../schema/prepareAnswer";
import { prepareInput } from "../../schema/prepareInput";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  type SubscriptionReference,
  subscriptionInBody,
} from "../../schema/subscriptionInput";
import { LeavingPreflight } from "../../schema/subscriptionPreflight";
import { leavingFacts } from "./leavingFacts";
import { prepareCommon } from "./prepareCommon";
import { prepareTransaction } from "./prepareTransaction";
import type { PrepareInput } from "./prepareTransactions";
import { resolveSubscription } from "./resolveSubscription";

const description =
  "Unsigned unsubscribeByProvider(), to be signed by the provider. What is left of the fee balance goes back to the subscriber.";

const subscriber = inBody({ ...Address, description: "Who is removed" });
const exampleSubscriber = "0x3333333333333333333333333333333333333333";

export const prepareUnsubscribeByProvider = defineOperation({
  ...prepareCommon,
  toolsets: ["provider"],
  name: "prepare_unsubscribe_by_provider",
  http: { method: "POST", path: "/prepare/unsubscribe_by_provider" },
  summary: "Unsigned removal of a subscriber by the provider (object form)",
  description: `${description} Object form: fields of subscription that differ from the chain are refused.`,
  errors: [...prepareCommon.errors, "NOT_FOUND"],
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, subscriber }),
  output: singleAnswer(LeavingPreflight),
  example: { from: exampleFrom, subscription: exampleSubscription, subscriber: exampleSubscriber },
  handler: (context, input) => prepare(context, input, "prepare_unsubscribe_by_provider"),
});

export const prepareUnsubscribeByProviderById = defineOperation({
  ...prepareCommon,
  toolsets: ["provider"],
  name: "prepare_unsubscribe_by_provider_by_id",
  http: { method: "POST", path: "/prepare/unsubscribe_by_provider_by_id" },
  summary: "Unsigned removal of a subscriber by the provider, by id (preferred)",
  description,
  errors: [...prepareCommon.errors, "NOT_FOUND"],
  input: Type.Object({ ...prepareInput, ...idInBody, subscriber }),
  output: singleAnswer(LeavingPreflight),
  example: { from: exampleFrom, id: exampleId, subscriber: exampleSubscriber },
  handler: (context, input) => prepare(context, input, "prepare_unsubscribe_by_provider_by_id"),
});

type RemoveInput = PrepareInput & SubscriptionReference & { subscriber: string };

function prepare(context: RequestContext, input: RemoveInput, operation: string) {
  const provider = getAddress(input.from);
  const account = getAddress(input.subscriber);
  const { contract } = context.chain.config;
  const resolve = resolveSubscription(context, input, (client, target) =>
    readSubscriberFacts(client, { ...target, account }),
  );
  return prepareTransaction(context, {
    operation,
    input,
    plan: async (client, block) => {
      const facts = await resolve(client, block);
      const data = encodeUnsubscribeByProvider(facts.record, account);
      return {
        facts: leavingFacts(facts),
        refusals: refusalsOf(facts, provider),
        warnings: [],
        ways: [[{ title: "unsubscribeByProvider", to: contract, data }]],
      };
    },
  });
}

/** In the order in which the contract asks. */
function refusalsOf({ record, status }: SubscriberFacts, provider: string): Refusal[] {
  const refusals: Refusal[] = [];
  if (status === "unsubscribed") refusals.push(protocolRefusal("3", "The subscriber has unsubscribed already."));
  if (record.provider !== provider) refusals.push(protocolRefusal("8"));
  if (status === "stranger") refusals.push(protocolRefusal("9", "The named subscriber is not subscribed."));
  return refusals;
}
