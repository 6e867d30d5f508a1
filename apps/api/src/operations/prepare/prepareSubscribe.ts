import type { SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import { prepareSubscribe as prepare } from "@dueday/chain/prepare/prepareSubscribe";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import { type GivenApproval, readApproval } from "@dueday/chain/prepare/readApproval";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { SubscribeReadiness } from "@dueday/core/schemas/subscribeReadiness";
import { Type } from "@sinclair/typebox";
import type { Context } from "../../operation/context";
import { defineOperation } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "./answerPrepare";
import { approvalInBody } from "./approvalInput";
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
      "Unsigned subscribe(), with an approve() before it when the allowance is too low: then signingMode is eip5792 and both are " +
      "simulated in sequence on one state. A token that refuses to change an allowance gets approve(0) first. The initial charge is " +
      "taken at once and spends part of the allowance, so the approve of one period, the default, does not cover the first remit: send " +
      "approvalPeriods (12, for example), which also covers what the wallet pays for other subscriptions in the token within these periods. See preflight.initialCharge, preflight.runway and warnings.",
    output: prepareAnswer(SubscribeReadiness),
    async handler(context: Context, input: PrepareInput & SubscriptionReference & GivenApproval) {
      return answerPrepare(context, name, { ...input, approval: readApproval(input) }, prepare);
    },
  }) as const;

export const prepareSubscribe = defineOperation({
  ...form("prepare_subscribe"),
  http: { method: "POST", path: "/prepare/subscribe" },
  summary: "Unsigned subscribe, with approve when needed (object form)",
  forAgents: "As prepare_subscribe_by_id, given a whole subscription record, which must equal the chain's",
  answersLike: "prepare_subscribe_by_id",
  toolsets: ["forms"],
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, ...approvalInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription, approvalPeriods: 12 },
});

export const prepareSubscribeById = defineOperation({
  ...form("prepare_subscribe_by_id"),
  http: { method: "POST", path: "/prepare/subscribe_by_id" },
  summary: "Unsigned subscribe by id, with approve when needed (preferred)",
  forAgents:
    "The unsigned transactions that subscribe a wallet: an approve first where the allowance is too low. Sign them in order. Send " +
    "approvalPeriods 12 unless the user wants another number: the default approve does not cover the first remit",
  input: Type.Object({ ...prepareInput, ...idInBody, ...approvalInBody }),
  example: { from: exampleFrom, id: exampleId, approvalPeriods: 12 },
});
