import { planSubscribe } from "@dueday/chain/prepare/planSubscribe";
import type { PrepareInput } from "@dueday/chain/prepare/prepareTransactions";
import type { SubscriptionReference } from "@dueday/chain/prepare/resolveSubscription";
import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { SubscribeReadiness } from "@dueday/core/schemas/subscribeReadiness";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { Context } from "../../operation/context";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, errorsOnSubscription, onSubscription, prepareOperation } from "./answerPrepare";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  prepareInput,
  subscriptionInBody,
} from "./prepareInput";

const infiniteApproval = inBody(
  Type.Optional(
    Type.Boolean({
      description:
        "Approve without limit, where the allowance would not outlast the first remit. Default: the amount of one period",
    }),
  ),
);

/** What both forms have in common; `name` is the form's. */
const form = <const N extends string>(name: N) =>
  ({
    ...prepareOperation,
    name,
    toolsets: ["subscriber"],
    description:
      "Unsigned subscribe(), with an approve() before it when the allowance is too low: then signingMode is eip5792 and both are " +
      "simulated in sequence on one state. A token that refuses to change an allowance gets approve(0) first. The initial charge is " +
      "taken at once and spends part of the allowance: see preflight.initialCharge, preflight.runway and warnings.",
    errors: errorsOnSubscription,
    output: prepareAnswer(SubscribeReadiness),
    handler(context: Context, input: PrepareInput & SubscriptionReference & { infiniteApproval?: boolean }) {
      const { contract } = context.chain.config;
      const { infiniteApproval = false } = input;
      const account = getAddress(input.from);
      const prepare = onSubscription(context, {
        operation: name,
        input,
        read: (client, target) => readSubscriberFacts(client, { ...target, account }),
        plan: (facts, block) => planSubscribe({ facts, contract, block, infiniteApproval }),
      });
      return answerPrepare(context, prepare);
    },
  }) as const;

export const prepareSubscribe = defineOperation({
  ...form("prepare_subscribe"),
  http: { method: "POST", path: "/prepare/subscribe" },
  summary: "Unsigned subscribe, with approve when needed (object form)",
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, infiniteApproval }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});

export const prepareSubscribeById = defineOperation({
  ...form("prepare_subscribe_by_id"),
  http: { method: "POST", path: "/prepare/subscribe_by_id" },
  summary: "Unsigned subscribe by id, with approve when needed (preferred)",
  input: Type.Object({ ...prepareInput, ...idInBody, infiniteApproval }),
  example: { from: exampleFrom, id: exampleId },
});
