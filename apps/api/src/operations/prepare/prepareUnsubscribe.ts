import type { SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import { prepareUnsubscribe as prepare } from "@dueday/chain/prepare/prepareUnsubscribe";
import { LeavingPreflight } from "@dueday/core/schemas/preflight";
import { singleAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { defineOperation } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "./answerPrepare";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  prepareInput,
  subscriptionInBody,
} from "./prepareInput";

/** What both forms have in common; `name` is the form's. */
const form = <const N extends string>(name: N) =>
  ({
    ...prepareOnSubscription,
    name,
    toolsets: ["subscriber"],
    description:
      "Unsigned unsubscribe(), to be signed by the subscriber. The rest of the fee balance goes to the provider. The contract would " +
      "accept it from any wallet and do nothing, so a wallet that is not subscribed is refused here.",
    output: singleAnswer(LeavingPreflight),
    handler: (context: Context, input: PrepareInput & SubscriptionReference) =>
      answerPrepare(context, name, input, prepare),
  }) as const;

export const prepareUnsubscribe = defineOperation({
  ...form("prepare_unsubscribe"),
  http: { method: "POST", path: "/prepare/unsubscribe" },
  summary: "Unsigned unsubscribe by the subscriber (object form)",
  forAgents: "As prepare_unsubscribe_by_id, given a whole subscription record",
  answersLike: "prepare_unsubscribe_by_id",
  toolsets: ["forms"],
  input: Type.Object({ ...prepareInput, ...subscriptionInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});

export const prepareUnsubscribeById = defineOperation({
  ...form("prepare_unsubscribe_by_id"),
  http: { method: "POST", path: "/prepare/unsubscribe_by_id" },
  summary: "Unsigned unsubscribe by the subscriber, by id (preferred)",
  forAgents: "For a subscriber: the unsigned transaction that ends its subscription",
  input: Type.Object({ ...prepareInput, ...idInBody }),
  example: { from: exampleFrom, id: exampleId },
});
