import { prepareUnsubscribe as prepare } from "@dueday/chain/prepare/prepareUnsubscribe";
import { LeavingPreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { answerPrepare } from "./answerPrepare";
import { inBothForms } from "./inBothForms";

export const [prepareUnsubscribe, prepareUnsubscribeById] = inBothForms("unsubscribe", {
  summary: "Unsigned unsubscribe by the subscriber",
  forAgents: "For a subscriber: the unsigned transaction that ends its subscription",
  description:
    "Unsigned unsubscribe(), to be signed by the subscriber. The rest of the fee balance goes to the provider. The contract would " +
    "accept it from any wallet and do nothing, so a wallet that is not subscribed is refused here.",
  toolset: "subscriber",
  input: {},
  example: {},
  output: prepareAnswer(LeavingPreflight),
  answer: (context, name, input) => answerPrepare(context, name, input, prepare),
});
