import { MOST_APPROVAL_PERIODS } from "@dueday/chain/prepare/readApproval";
import { Type } from "@sinclair/typebox";
import { inBody, inQuery } from "../../operation/defineOperation";

const periods = {
  minimum: 1,
  maximum: MOST_APPROVAL_PERIODS,
  expects: `a whole number of periods, 1 to ${MOST_APPROVAL_PERIODS}`,
};

/** The query parameter of a read for the number of periods to approve. */
export const approvalPeriodsInQuery = inQuery(
  Type.Optional(
    Type.Integer({
      ...periods,
      description: "Periods that the approval covers, as in prepare_subscribe_by_id. Default: one whole amount",
    }),
  ),
);

/** Body fields that decide what is approved. */
export const approvalInBody = {
  approvalPeriods: inBody(
    Type.Optional(
      Type.Integer({
        ...periods,
        description:
          "Approve all that the wallet pays in the token within this number of periods, an initial charge included. Not with infiniteApproval",
      }),
    ),
  ),
  infiniteApproval: inBody(
    Type.Optional(
      Type.Boolean({ description: "Approve without limit. With neither field, subscribing approves one whole amount" }),
    ),
  ),
};
