import { planApprove, readRenewal } from "@dueday/chain/prepare/planApprove";
import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { ApprovePreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { defineOperation } from "../../operation/defineOperation";
import { answerPrepare, errorsOnSubscription, onSubscription, prepareOperation } from "./answerPrepare";
import { approvalInBody } from "./approvalInput";
import { exampleFrom, exampleId, idInBody, prepareInput, summarizedPrepare } from "./prepareInput";

const NAME = "prepare_approve";

export const prepareApprove = defineOperation({
  ...prepareOperation,
  toolsets: ["subscriber"],
  name: NAME,
  http: { method: "POST", path: "/prepare/approve" },
  summary: "Unsigned approve with which a subscriber renews its allowance",
  forAgents:
    "For a subscriber: the unsigned approve that renews its allowance; approvalPeriods or infiniteApproval is required",
  description:
    "Unsigned approve() of the subscription's token for the contract: approvalPeriods payments of the whole amount, or without limit; " +
    "one of the two is required. The new allowance replaces the old one, and is one for all subscriptions of the wallet in that token. A " +
    "token that refuses to change an allowance gets approve(0) first: then signingMode is eip5792. 409 for a wallet that is not subscribed.",
  errors: errorsOnSubscription,
  input: Type.Object({ ...prepareInput, ...idInBody, ...approvalInBody }),
  summarized: summarizedPrepare,
  output: prepareAnswer(ApprovePreflight),
  example: { from: exampleFrom, id: exampleId, approvalPeriods: 12 },
  async handler(context, input) {
    const { contract } = context.chain.config;
    const wish = readRenewal(input);
    const account = getAddress(input.from);
    const prepare = onSubscription(context, {
      operation: NAME,
      input,
      read: (client, target) => readSubscriberFacts(client, { ...target, account }),
      plan: (facts) => planApprove(facts, { contract, wish }),
    });
    return answerPrepare(context, prepare);
  },
});
