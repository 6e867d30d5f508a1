import { prepareEditDetails as prepare, requireDetails } from "@dueday/chain/prepare/prepareEditDetails";
import { SubscriptionPreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { Type } from "@sinclair/typebox";
import { defineOperation } from "../../operation/defineOperation";
import { answerPrepare, prepareOnSubscription } from "./answerPrepare";
import { detailsInBody, exampleFrom, exampleId, idInBody, prepareInput } from "./prepareInput";

const NAME = "prepare_edit_details";

export const prepareEditDetails = defineOperation({
  ...prepareOnSubscription,
  toolsets: ["provider"],
  name: NAME,
  http: { method: "POST", path: "/prepare/edit_details" },
  summary: "Unsigned edit of a subscription's url and description by its provider",
  forAgents: "For a provider: the unsigned transaction that changes a subscription's url and description",
  description:
    "Unsigned editDetails(), to be signed by the provider; it replaces both texts. The contract would accept it from any wallet and " +
    "change nothing, so any other wallet is refused here.",
  input: Type.Object({ ...prepareInput, ...idInBody, ...detailsInBody }),
  output: prepareAnswer(SubscriptionPreflight),
  example: { from: exampleFrom, id: exampleId, details: { url: "https://example.com/plan", description: "The plan" } },
  async handler(context, input) {
    return answerPrepare(context, NAME, { ...input, details: requireDetails(input.details) }, prepare);
  },
});
