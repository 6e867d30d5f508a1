import { prepareCreateSubscription as prepare } from "@dueday/chain/prepare/prepareCreateSubscription";
import { Address, DueDay, Frequency, oneLine } from "@dueday/core/schema";
import { CreatePreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { AMOUNT_EXPECTS } from "@dueday/core/schemas/subscriptionObject";
import { Type } from "@sinclair/typebox";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { answerPrepare, prepareOperation } from "./answerPrepare";
import { detailsInBody, exampleFrom, prepareInput } from "./prepareInput";

const NAME = "prepare_create_subscription";

export const prepareCreateSubscription = defineOperation({
  ...prepareOperation,
  toolsets: ["provider"],
  name: NAME,
  http: { method: "POST", path: "/prepare/create_subscription" },
  summary: "Unsigned creation of a subscription by its provider",
  forAgents:
    "For a provider: the unsigned transaction that creates a subscription. amount in whole tokens; dueDay 1..7 weekly, 1..28 monthly, 1..90 quarterly, 1..365 yearly",
  description:
    "Unsigned createSubscription(). amount is in whole tokens and must be one that the token can express, at least the token's " +
    "minimum. dueDay is 1..7 weekly (1 = Monday), 1..28 monthly, 1..90 quarterly, 1..365 yearly. The id of the new subscription " +
    "depends on the block that contains it, so it is null in simulation: take it from the event Create of the confirmed transaction.",
  input: Type.Object({
    ...prepareInput,
    amount: inBody({
      ...oneLine(200),
      description: 'Whole tokens as a decimal string, e.g. "12.50"',
      expects: `${AMOUNT_EXPECTS}, of at most 200 characters`,
    }),
    token: inBody({ ...Address, description: "An approved ERC-20 token" }),
    ...detailsInBody,
    frequency: inBody(Frequency),
    dueDay: inBody(DueDay),
  }),
  output: prepareAnswer(CreatePreflight),
  example: {
    from: exampleFrom,
    amount: "12.50",
    token: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    details: { url: "https://example.com/plan", description: "The plan" },
    frequency: 1,
    dueDay: 5,
  },
  handler: (context, input) => answerPrepare(context, NAME, input, prepare),
});
