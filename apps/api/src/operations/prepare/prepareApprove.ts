import { readRenewal } from "@dueday/chain/prepare/planApprove";
import { prepareApprove as prepare } from "@dueday/chain/prepare/prepareApprove";
import { Address, Bytes32 } from "@dueday/core/schema";
import { ApprovePreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "./answerPrepare";
import { approvalInBody } from "./approvalInput";
import { exampleFrom, exampleId, prepareInput } from "./prepareInput";

const NAME = "prepare_approve";

export const prepareApprove = defineOperation({
  ...prepareOnSubscription,
  toolsets: ["subscriber"],
  name: NAME,
  http: { method: "POST", path: "/prepare/approve" },
  summary: "Unsigned approve with which a subscriber renews its allowance",
  forAgents:
    "For a subscriber: the unsigned approve that renews its allowance, by id or by token. approvalPeriods or infiniteApproval is required",
  description:
    "Unsigned approve() for the contract. The allowance is one for all that the wallet pays in the token, so it covers all charges of all " +
    "its subscriptions in it that fall within approvalPeriods periods after today, those that are still open included: the periods are those of the " +
    "subscription of id, or with token those of its plan with the longest period. It never lowers an allowance below what is needed; exact: true " +
    "approves approvalPeriods payments of one subscription alone. A token that refuses to change an allowance gets approve(0) first: then " +
    "signingMode is eip5792. 409 for a wallet that pays nothing there.",
  input: Type.Object({
    ...prepareInput,
    id: inBody(Type.Optional({ ...Bytes32, description: "Id of a subscription that the wallet pays. Not with token" })),
    token: inBody(
      Type.Optional({ ...Address, description: "For all that the wallet pays in this token, in place of id" }),
    ),
    ...approvalInBody,
    exact: inBody(
      Type.Optional(
        Type.Boolean({ description: "Approve for the subscription alone, even below what the wallet's others need" }),
      ),
    ),
  }),
  output: prepareAnswer(ApprovePreflight),
  example: { from: exampleFrom, id: exampleId, approvalPeriods: 12 },
  async handler(context, input) {
    return answerPrepare(context, NAME, { ...input, renewal: readRenewal(input) }, prepare);
  },
});
