import { prepareCancelSubscription as prepare } from "@dueday/chain/prepare/prepareCancelSubscription";
import { SubscriptionPreflight } from "@dueday/core/schemas/preflight";
import { prepareAnswer } from "@dueday/core/schemas/prepareAnswer";
import { answerPrepare } from "./answerPrepare";
import { inBothForms } from "./inBothForms";

export const [prepareCancelSubscription, prepareCancelSubscriptionById] = inBothForms("cancel_subscription", {
  summary: "Unsigned cancellation by the provider",
  forAgents: "For a provider: the unsigned transaction that cancels a subscription for all its subscribers",
  description:
    "Unsigned cancelSubscription(), to be signed by the provider. It can't be undone: no subscriber is charged from then on, and " +
    "subscribers get their fee balances back when the protocol's janitor clears them.",
  toolset: "provider",
  input: {},
  example: {},
  output: prepareAnswer(SubscriptionPreflight),
  answer: (context, name, input) => answerPrepare(context, name, input, prepare),
});
