import { readSubscriberFacts, type SubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { encodeUnsubscribeByProvider } from "@dueday/core/calldata/encodeUnsubscribeByProvider";
import { protocolRefusal, type Refusal } from "@dueday/core/reverts/refusal";
import { getAddress } from "viem";
import type { Context } from "../../operation/context";
import { leavingFacts } from "./leavingFacts";
import { singleAnswer } from "./prepareAnswer";
import { prepareCommon } from "./prepareCommon";
import { prepareTransaction } from "./prepareTransaction";
import type { PrepareInput } from "./prepareTransactions";
import { resolveSubscription } from "./resolveSubscription";
import type { SubscriptionReference } from "./subscriptionInput";
import { LeavingPreflight } from "./subscriptionPreflight";

const description =
  "Unsigned unsubscribeByProvider(), to be signed by the provider. What is left of the fee balance goes back to the subscriber.";

type RemoveInput = PrepareInput & SubscriptionReference & { subscriber: string };

/** What both forms of preparing unsubscribeByProvider() share; `operation` is the form's name. */
export function unsubscribeByProviderForm(operation: string) {
  return {
    ...prepareCommon,
    name: operation,
    toolsets: ["provider"],
    description,
    errors: [...prepareCommon.errors, "NOT_FOUND"],
    output: singleAnswer(LeavingPreflight),
    handler(context: Context, input: RemoveInput) {
      const provider = getAddress(input.from);
      const account = getAddress(input.subscriber);
      const { contract } = context.chain.config;
      const resolve = resolveSubscription(context, input, (client, target) =>
        readSubscriberFacts(client, { ...target, account }),
      );
      return prepareTransaction(context, {
        operation,
        input,
        plan: async (client, block) => {
          const facts = await resolve(client, block);
          const data = encodeUnsubscribeByProvider(facts.record, account);
          return {
            facts: leavingFacts(facts),
            refusals: refusalsOf(facts, provider),
            warnings: [],
            ways: [[{ title: "unsubscribeByProvider", to: contract, data }]],
          };
        },
      });
    },
  } as const;
}

/** In the order in which the contract asks. */
function refusalsOf({ record, status }: SubscriberFacts, provider: string): Refusal[] {
  const refusals: Refusal[] = [];
  if (status === "unsubscribed") refusals.push(protocolRefusal("3", "The subscriber has unsubscribed already."));
  if (record.provider !== provider) refusals.push(protocolRefusal("8"));
  if (status === "stranger") refusals.push(protocolRefusal("9", "The named subscriber is not subscribed."));
  return refusals;
}
