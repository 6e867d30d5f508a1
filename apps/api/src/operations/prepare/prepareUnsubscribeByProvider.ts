import { prepareUnsubscribeByProvider as prepare } from "@dueday/chain/prepare/prepareUnsubscribe";
import { Address } from "@dueday/core/schema";
import { LeavingPreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { inBody } from "../../operation/defineOperation";
import { answerPrepare } from "./answerPrepare";
import { inBothForms } from "./inBothForms";

export const [prepareUnsubscribeByProvider, prepareUnsubscribeByProviderById] = inBothForms("unsubscribe_by_provider", {
  summary: "Unsigned removal of a subscriber by the provider",
  forAgents: "For a provider: the unsigned transaction that removes one subscriber",
  description:
    "Unsigned unsubscribeByProvider(), to be signed by the provider. The rest of the fee balance goes back to the subscriber.",
  toolset: "provider",
  input: { subscriber: inBody({ ...Address, description: "The subscriber to remove" }) },
  example: { subscriber: "0x3333333333333333333333333333333333333333" },
  output: prepareAnswer(LeavingPreflight),
  answer: (context, name, input) => answerPrepare(context, name, input, prepare),
});
