import { MOST_APPROVAL_PERIODS } from "@dueday/chain/prepare/readApproval";
import { Type } from "@sinclair/typebox";
import { inBody, inQuery } from "../../operation/defineOperation";

const periods = {
  minimum: 1,
  maximum: MOST_APPROVAL_PERIODS,
  expects: `a whole number of payments, 1 to ${MOST_APPROVAL_PERIODS}`,
};

/** The query parameter of a read for the number of payments to approve. */
export const approvalPeriodsInQuery = inQuery(
  Type.Optional(
    Type.Integer({
      ...periods,
      description: "Number of payments to approve besides the first. Default: one whole amount in all",
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
          "Number of payments of the whole amount to approve, besides the initial charge. Not with infiniteApproval",
      }),
    ),
  ),
  infiniteApproval: inBody(
    Type.Optional(
      Type.Boolean({ description: "Approve without limit. Without either field: the amount of one period" }),
    ),
  ),
};
