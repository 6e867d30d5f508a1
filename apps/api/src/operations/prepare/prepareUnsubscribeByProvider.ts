import { planUnsubscribeByProvider } from "@dueday/chain/prepare/planUnsubscribe";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import type { SubscriptionReference } from "@dueday/chain/prepare/resolveSubscription";
import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { Address } from "@dueday/core/schema";
import { LeavingPreflight } from "@dueday/core/schemas/preflight";
import { singleAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { Context } from "../../operation/context";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerSinglePrepare, errorsOnSubscription, onSubscription, prepareOperation } from "./answerPrepare";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  prepareInput,
  subscriptionInBody,
  summarizedPrepare,
} from "./prepareInput";

const subscriber = inBody({ ...Address, description: "The subscriber to remove" });
const exampleSubscriber = "0x3333333333333333333333333333333333333333";

/** What both forms have in common; `name` is the form's. */
const form = <const N extends string>(name: N) =>
  ({
    ...prepareOperation,
    name,
    toolsets: ["provider"],
    description:
      "Unsigned unsubscribeByProvider(), to be signed by the provider. The rest of the fee balance goes back to the subscriber.",
    errors: errorsOnSubscription,
    summarized: summarizedPrepare,
    output: singleAnswer(LeavingPreflight),
    handler(context: Context, input: PrepareInput & SubscriptionReference & { subscriber: string }) {
      const { contract } = context.chain.config;
      const provider = getAddress(input.from);
      const account = getAddress(input.subscriber);
      const prepare = onSubscription(context, {
        operation: name,
        input,
        read: (client, target) => readSubscriberFacts(client, { ...target, account }),
        plan: (facts) => planUnsubscribeByProvider(facts, { contract, provider }),
      });
      return answerSinglePrepare(context, prepare);
    },
  }) as const;

export const prepareUnsubscribeByProvider = defineOperation({
  ...form("prepare_unsubscribe_by_provider"),
  http: { method: "POST", path: "/prepare/unsubscribe_by_provider" },
  summary: "Unsigned removal of a subscriber by the provider (object form)",
  forAgents: "As prepare_unsubscribe_by_provider_by_id, given a whole subscription record",
  answersLike: "prepare_unsubscribe_by_provider_by_id",
  toolsets: ["forms"],
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, subscriber }),
  example: { from: exampleFrom, subscription: exampleSubscription, subscriber: exampleSubscriber },
});

export const prepareUnsubscribeByProviderById = defineOperation({
  ...form("prepare_unsubscribe_by_provider_by_id"),
  http: { method: "POST", path: "/prepare/unsubscribe_by_provider_by_id" },
  summary: "Unsigned removal of a subscriber by the provider, by id (preferred)",
  forAgents: "For a provider: the unsigned transaction that removes one subscriber",
  input: Type.Object({ ...prepareInput, ...idInBody, subscriber }),
  example: { from: exampleFrom, id: exampleId, subscriber: exampleSubscriber },
});
