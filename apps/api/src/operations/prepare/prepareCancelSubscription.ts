import { presentSubscription } from "@dueday/chain/reads/presentSubscription";
import { readSubscriptionFacts, type SubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { protocolRefusal, type Refusal } from "@dueday/core/reverts/refusal";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { RequestContext } from "../../context";
import { defineOperation } from "../../operation";
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
import { SubscriptionPreflight } from "../../schema/subscriptionPreflight";
import { prepareCommon } from "./prepareCommon";
import { prepareTransaction } from "./prepareTransaction";
import type { PrepareInput } from "./prepareTransactions";
import { resolveSubscription } from "./resolveSubscription";

const description =
  "Unsigned cancelSubscription(), to be signed by the provider. It can't be undone: nobody is charged from then on, and subscribers " +
  "get their fee balances back when the protocol's janitor clears them.";

export const prepareCancelSubscription = defineOperation({
  ...prepareCommon,
  toolsets: ["provider"],
  name: "prepare_cancel_subscription",
  http: { method: "POST", path: "/prepare/cancel_subscription" },
  summary: "Unsigned cancellation by the provider (object form)",
  description: `${description} Object form: fields of subscription that differ from the chain are refused.`,
  errors: [...prepareCommon.errors, "NOT_FOUND"],
  input: Type.Object({ ...prepareInput, ...subscriptionInBody }),
  output: singleAnswer(SubscriptionPreflight),
  example: { from: exampleFrom, subscription: exampleSubscription },
  handler: (context, input) => prepare(context, input, "prepare_cancel_subscription"),
});

export const prepareCancelSubscriptionById = defineOperation({
  ...prepareCommon,
  toolsets: ["provider"],
  name: "prepare_cancel_subscription_by_id",
  http: { method: "POST", path: "/prepare/cancel_subscription_by_id" },
  summary: "Unsigned cancellation by the provider, by id (preferred)",
  description,
  errors: [...prepareCommon.errors, "NOT_FOUND"],
  input: Type.Object({ ...prepareInput, ...idInBody }),
  output: singleAnswer(SubscriptionPreflight),
  example: { from: exampleFrom, id: exampleId },
  handler: (context, input) => prepare(context, input, "prepare_cancel_subscription_by_id"),
});

function prepare(context: RequestContext, input: PrepareInput & SubscriptionReference, operation: string) {
  const provider = getAddress(input.from);
  const { contract } = context.chain.config;
  const resolve = resolveSubscription(context, input, readSubscriptionFacts);
  return prepareTransaction(context, {
    operation,
    input,
    plan: async (client, block) => {
      const { record, token } = await resolve(client, block);
      return {
        facts: { subscription: presentSubscription(record, token) },
        refusals: refusalsOf(record, provider),
        warnings: [{ code: "IRREVERSIBLE", message: "A cancelled subscription can't be resumed; create a new one." }],
        ways: [[{ title: "cancelSubscription", to: contract, data: encodeCancelSubscription(record) }]],
      };
    },
  });
}

/** In the order in which the contract asks. */
function refusalsOf(record: SubscriptionFacts["record"], provider: string): Refusal[] {
  const refusals: Refusal[] = [];
  if (record.provider !== provider) refusals.push(protocolRefusal("13"));
  if (record.cancelled) refusals.push(protocolRefusal("23", "The subscription is cancelled already."));
  return refusals;
}
