import { Address, Bytes32 } from "@dueday/core/schema";
import { SubscriptionObject } from "@dueday/core/schemas/subscriptionObject";
import { DESCRIPTION_LIMIT_BYTES, URL_LIMIT_BYTES } from "@dueday/core/text/checkDetails";
import { Type } from "@sinclair/typebox";
import { inBody } from "../../operation/defineOperation";

/** Body fields that every prepare operation takes. */
export const prepareInput = {
  from: inBody({ ...Address, description: "The wallet that will sign" }),
  readinessOnly: inBody(
    Type.Optional(Type.Boolean({ description: "Only check: no unsigned transactions, no gas estimates" })),
  ),
  simulateFromAddress: inBody(
    Type.Optional({ ...Address, description: "Estimate gas for this broadcaster; nothing else changes" }),
  ),
};

/** Body field of the object forms. */
export const subscriptionInBody = { subscription: inBody(SubscriptionObject) };

/** Body field of the `_by_id` forms. */
export const idInBody = { id: inBody({ ...Bytes32, description: "Id of the subscription" }) };

/** Body field of the texts of a subscription. Lengths count bytes of UTF-8, which a schema can't: `checkDetails` checks them. */
export const detailsInBody = {
  details: inBody(
    Type.Object({
      url: Type.String({
        maxLength: URL_LIMIT_BYTES,
        description: `May be empty; at most ${URL_LIMIT_BYTES} bytes, no control characters, not javascript:, data: or vbscript:`,
      }),
      description: Type.String({
        maxLength: DESCRIPTION_LIMIT_BYTES,
        description: `May be empty; at most ${DESCRIPTION_LIMIT_BYTES} bytes`,
      }),
    }),
  ),
};

/** Ids and addresses of the right form that belong to nobody, for the documents. */
export const exampleId = `0x${"ab".repeat(32)}`;
export const exampleFrom = "0x1111111111111111111111111111111111111111";
export const exampleSubscription: SubscriptionObject = {
  id: exampleId,
  amount: "12.5",
  provider: "0x2222222222222222222222222222222222222222",
  token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  cancelled: false,
  frequency: 1,
  dueDay: 5,
};
