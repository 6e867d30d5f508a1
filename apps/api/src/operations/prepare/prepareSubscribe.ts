import { prepareSubscribe as prepare } from "@dueday/chain/prepare/prepareSubscribe";
import { readApproval } from "@dueday/chain/prepare/readApproval";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { SubscribeReadiness } from "@dueday/core/schemas/subscribeReadiness";
import { answerPrepare } from "./answerPrepare";
import { approvalInBody } from "./approvalInput";
import { inBothForms } from "./inBothForms";

export const [prepareSubscribe, prepareSubscribeById] = inBothForms("subscribe", {
  summary: "Unsigned subscribe, with approve when needed",
  forAgents:
    "The unsigned transactions that subscribe a wallet: an approve first where the allowance is too low. Sign them in order. Send " +
    "approvalPeriods 12 unless the user wants another number: the default approve does not cover the first remit",
  description:
    "Unsigned subscribe(), with an approve() before it when the allowance is too low: then signingMode is eip5792 and both are " +
    "simulated in sequence on one state. A token that refuses to change an allowance gets approve(0) first. The initial charge is " +
    "taken at once and spends part of the allowance, so the approve of one period, the default, does not cover the first remit: send " +
    "approvalPeriods (12, for example), which also covers what the wallet pays for other subscriptions in the token within these periods. See preflight.initialCharge, preflight.runway and warnings.",
  toolset: "subscriber",
  input: approvalInBody,
  example: { approvalPeriods: 12 },
  output: prepareAnswer(SubscribeReadiness),
  answer: async (context, name, input) =>
    answerPrepare(context, name, { ...input, approval: readApproval(input) }, prepare),
});
