import { planEditDetails, requireDetails } from "@dueday/chain/prepare/planEditDetails";
import { readSubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { SubscriptionPreflight } from "@dueday/core/schemas/preflight";
import { singleAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { defineOperation } from "../../operation/defineOperation";
import { answerSinglePrepare, errorsOnSubscription, onSubscription, prepareOperation } from "./answerPrepare";
import { detailsInBody, exampleFrom, exampleId, idInBody, prepareInput, summarizedPrepare } from "./prepareInput";

const NAME = "prepare_edit_details";

export const prepareEditDetails = defineOperation({
  ...prepareOperation,
  toolsets: ["provider"],
  name: NAME,
  http: { method: "POST", path: "/prepare/edit_details" },
  summary: "Unsigned edit of a subscription's url and description by its provider",
  forAgents: "For a provider: the unsigned transaction that changes a subscription's url and description",
  description:
    "Unsigned editDetails(), to be signed by the provider; it replaces both texts. The contract would accept it from any wallet and " +
    "change nothing, so any other wallet is refused here.",
  errors: errorsOnSubscription,
  input: Type.Object({ ...prepareInput, ...idInBody, ...detailsInBody }),
  summarized: summarizedPrepare,
  output: singleAnswer(SubscriptionPreflight),
  example: { from: exampleFrom, id: exampleId, details: { url: "https://example.com/plan", description: "The plan" } },
  async handler(context, input) {
    const { contract } = context.chain.config;
    const { details } = input;
    const provider = getAddress(input.from);
    requireDetails(details);
    const prepare = onSubscription(context, {
      operation: NAME,
      input,
      read: readSubscriptionFacts,
      plan: (facts) => planEditDetails(facts, { contract, provider, details }),
    });
    return answerSinglePrepare(context, prepare);
  },
});
