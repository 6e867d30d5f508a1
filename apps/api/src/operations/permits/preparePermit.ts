import { preparePermit as prepare } from "@dueday/chain/permits/preparePermit";
import { identified } from "@dueday/chain/prepare/prepareTransactions";
import { MOST_APPROVAL_PERIODS } from "@dueday/chain/prepare/readApproval";
import { PreparedPermit } from "@dueday/core/schemas/permit";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLive } from "../../operation/answerLive";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { exampleFrom } from "../prepare/prepareInput";
import { exampleToken, permitErrors, permitInput, permitOperation } from "./permit";

export const preparePermit = defineOperation({
  ...permitOperation,
  name: "prepare_permit",
  http: { method: "POST", path: "/prepare/permit" },
  summary: "Typed data of a permit: renews an allowance by a signature, without ether",
  forAgents:
    "For a subscriber without ether: the typed data whose signature renews its allowance. Have it signed, then keep_permit",
  description:
    "EIP-712 data of an EIP-2612 permit for the contract, whose domain is read from the token and compared with the hash that it signs with. The " +
    "allowance is that of POST /prepare/approve with token: all that the wallet pays in it within approvalPeriods periods. The permit can be submitted for 35 days less one hour. " +
    "Send the signature to POST /permits, or submit it yourself. 409 PERMIT_UNSUPPORTED for a token without permits.",
  toolsets: ["subscriber"],
  annotations: { readOnlyHint: true, openWorldHint: true },
  errors: [...permitErrors, "NOT_READY"],
  input: Type.Object({
    ...permitInput,
    approvalPeriods: inBody(
      Type.Integer({
        minimum: 1,
        maximum: MOST_APPROVAL_PERIODS,
        expects: `a whole number of periods, 1 to ${MOST_APPROVAL_PERIODS}`,
        description: "Periods to allow: those of the subscription with the longest period",
      }),
    ),
  }),
  output: PreparedPermit,
  example: { from: exampleFrom, token: exampleToken, approvalPeriods: 12 },
  async handler(context, { from, token, approvalPeriods }) {
    const { config: chain, coverage } = context.chain;
    const answer = await answerLive(context, (client, block) =>
      prepare(client, { chain, coverage, block, from, token: getAddress(token), approvalPeriods }),
    );
    return identified(context.requestId, answer);
  },
});
