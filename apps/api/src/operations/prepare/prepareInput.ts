import { DESCRIPTION_LIMIT_BYTES, URL_LIMIT_BYTES } from "@dueday/core/checkDetails";
import { Address, Bytes32, oneLine, plainText } from "@dueday/core/schema";
import { SubscriptionObject } from "@dueday/core/schemas/subscriptionObject";
import { Type } from "@sinclair/typebox";
import { signer } from "../../operation/addressFaults";
import { inBody } from "../../operation/defineOperation";
import { detailInBody } from "../../operation/detail";
import type { Summarized } from "../../operation/summarize";

/** Body fields that every operation which prepares transactions takes. */
export const prepareInput = {
  from: inBody({ ...Address, ...signer, description: "The wallet that will sign" }),
  readinessOnly: inBody(
    Type.Optional(Type.Boolean({ description: "Only check: no unsigned transactions, no gas estimates" })),
  ),
  simulateFromAddress: inBody(
    Type.Optional({ ...Address, ...signer, description: "Estimate gas for this broadcaster; nothing else changes" }),
  ),
  paymasterUrl: inBody(
    Type.Optional({ ...oneLine(2_048), minLength: 1, description: "https: who pays the gas (ERC-7677)" }),
  ),
  ...detailInBody,
};

/** What the summary of every prepared transaction leaves out: what was simulated, and what repeats elsewhere in the answer. */
const omitted = [
  "simulation.results",
  ...["l1FeeWei", "estimatedCostWei", "estimatedCostEth", "source"].map((name) => `gasEstimates.${name}`),
];

/** Fields that an answer has only with readinessOnly. */
const undescribed = ["readinessOnly", "operation", "ready", "issues", "details"];

/** The summary of a prepare operation. */
export const summarizedPrepare: Summarized = { omits: [...omitted, "preflight"], undescribed };
/** The summary of prepare_remit, which keeps the totals of the whole backlog. */
export const summarizedRemit: Summarized = {
  omits: [
    ...omitted,
    ...[
      "from",
      "days",
      "plan.transactions",
      "warnings",
      "issues",
      "totalSubscriptions",
      "maxRemits",
      "totals.byToken",
      "permits",
      "afterPermits",
    ].map((name) => `preflight.${name}`),
    ...["token", "amountRaw", "tokenDecimals"].map((name) => `preflight.economics.callerFees.${name}`),
  ],
  undescribed,
};

/** Body field of the object forms. */
export const subscriptionInBody = { subscription: inBody(SubscriptionObject) };

/** Body field of the `_by_id` forms. */
export const idInBody = { id: inBody({ ...Bytes32, description: "Id of the subscription" }) };

/** The url of a subscription or a profile. */
export const urlText = {
  ...plainText(URL_LIMIT_BYTES),
  expects: `a string of at most ${URL_LIMIT_BYTES} bytes of UTF-8, such as "https://example.com/plan", or ""`,
  description: `May be empty; at most ${URL_LIMIT_BYTES} bytes, no control characters, not javascript:, data: or vbscript:`,
};

/** Body field of the texts of a subscription. Lengths count bytes of UTF-8, which a schema can't: `checkDetails` checks them. */
export const detailsInBody = {
  details: inBody(
    Type.Object(
      {
        url: urlText,
        description: {
          ...plainText(DESCRIPTION_LIMIT_BYTES),
          expects: `a string of at most ${DESCRIPTION_LIMIT_BYTES} bytes of UTF-8`,
          description: `May be empty; at most ${DESCRIPTION_LIMIT_BYTES} bytes`,
        },
      },
      { description: "Public, on the chain" },
    ),
  ),
};

/** Ids and addresses of the right form that are not in use, for the documents. */
export const exampleId: `0x${string}` = `0x${"ab".repeat(32)}`;
export const exampleFrom: `0x${string}` = "0x1111111111111111111111111111111111111111";
export const exampleSubscription: SubscriptionObject = {
  id: exampleId,
  amount: "12.5",
  provider: "0x2222222222222222222222222222222222222222",
  token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  cancelled: false,
  frequency: 1,
  dueDay: 5,
};
