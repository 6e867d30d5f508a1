import type { SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import { prepareUnsubscribeByProvider as prepare } from "@dueday/chain/prepare/prepareUnsubscribe";
import { Address } from "@dueday/core/schema";
import { LeavingPreflight } from "@dueday/core/schemas/preflight";
import { singleAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "./answerPrepare";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  prepareInput,
  subscriptionInBody,
} from "./prepareInput";

const subscriber = inBody({ ...Address, description: "The subscriber to remove" });
const exampleSubscriber = "0x3333333333333333333333333333333333333333";

/** What both forms have in common; `name` is the form's. */
const form = <const N extends string>(name: N) =>
  ({
    ...prepareOnSubscription,
    name,
    toolsets: ["provider"],
    description:
      "Unsigned unsubscribeByProvider(), to be signed by the provider. The rest of the fee balance goes back to the subscriber.",
    output: singleAnswer(LeavingPreflight),
    handler: (context: Context, input: PrepareInput & SubscriptionReference & { subscriber: string }) =>
      answerPrepare(context, name, input, prepare),
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
