import type { SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import { prepareCancelSubscription as prepare } from "@dueday/chain/prepare/prepareCancelSubscription";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import { SubscriptionPreflight } from "@dueday/core/schemas/preflight";
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
    toolsets: ["provider"],
    description:
      "Unsigned cancelSubscription(), to be signed by the provider. It can't be undone: no subscriber is charged from then on, and " +
      "subscribers get their fee balances back when the protocol's janitor clears them.",
    output: singleAnswer(SubscriptionPreflight),
    handler: (context: Context, input: PrepareInput & SubscriptionReference) =>
      answerPrepare(context, name, input, prepare),
  }) as const;

export const prepareCancelSubscription = defineOperation({
  ...form("prepare_cancel_subscription"),
  http: { method: "POST", path: "/prepare/cancel_subscription" },
  summary: "Unsigned cancellation by the provider (object form)",
  forAgents: "As prepare_cancel_subscription_by_id, given a whole subscription record",
  answersLike: "prepare_cancel_subscription_by_id",
  toolsets: ["forms"],
  input: Type.Object({ ...prepareInput, ...subscriptionInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});

export const prepareCancelSubscriptionById = defineOperation({
  ...form("prepare_cancel_subscription_by_id"),
  http: { method: "POST", path: "/prepare/cancel_subscription_by_id" },
  summary: "Unsigned cancellation by the provider, by id (preferred)",
  forAgents: "For a provider: the unsigned transaction that cancels a subscription for all its subscribers",
  input: Type.Object({ ...prepareInput, ...idInBody }),
  example: { from: exampleFrom, id: exampleId },
});
