import { prepareChangePlan as prepare } from "@dueday/chain/prepare/prepareChangePlan";
import { readApproval } from "@dueday/chain/prepare/readApproval";
import { Bytes32 } from "@dueday/core/schema";
import { ChangePlanPreflight } from "@dueday/core/schemas/changePlanPreflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "./answerPrepare";
import { approvalInBody } from "./approvalInput";
import { exampleFrom, exampleId, prepareInput } from "./prepareInput";

const NAME = "prepare_change_plan";

export const prepareChangePlan = defineOperation({
  ...prepareOnSubscription,
  toolsets: ["subscriber"],
  name: NAME,
  http: { method: "POST", path: "/prepare/change_plan" },
  summary: "Unsigned change from one subscription to another, in one batch",
  forAgents:
    "As prepare_subscribe_by_id, for a change from one subscription to another. Sign the transactions in order",
  answersLike: "prepare_subscribe_by_id",
  description:
    "Unsigned approve() where the allowance is too low, subscribe() to the plan that join names, then unsubscribe() from the one that leave names, simulated in sequence on one state. " +
    "In this order a wallet that stops after subscribe() pays both rather than none. preflight.join has the initial charge and the next date; " +
    "preflight.leave the fee balance, which goes to the provider that is left, and the date of the charge that leaving prevents. Allowance and runway are computed as if the wallet no longer paid the plan that leave names.",
  input: Type.Object({
    ...prepareInput,
    leave: inBody({ ...Bytes32, description: "Id of the subscription that the wallet pays and leaves" }),
    join: inBody({ ...Bytes32, description: "Id of the subscription that it changes to" }),
    ...approvalInBody,
  }),
  output: prepareAnswer(ChangePlanPreflight),
  example: { from: exampleFrom, leave: exampleId, join: `0x${"cd".repeat(32)}`, approvalPeriods: 12 },
  async handler(context, input) {
    return answerPrepare(context, NAME, { ...input, approval: readApproval(input) }, prepare);
  },
});
