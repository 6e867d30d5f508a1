import { presentSubscription } from "@dueday/chain/reads/presentSubscription";
import { readSubscriptionFacts, type SubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { encodeCancelSubscription } from "@dueday/core/calldata/encodeCancelSubscription";
import { protocolRefusal, type Refusal } from "@dueday/core/reverts/refusal";
import { getAddress } from "viem";
import type { Context } from "../../operation/context";
import { singleAnswer } from "./prepareAnswer";
import { prepareCommon } from "./prepareCommon";
import { prepareTransaction } from "./prepareTransaction";
import type { PrepareInput } from "./prepareTransactions";
import { resolveSubscription } from "./resolveSubscription";
import type { SubscriptionReference } from "./subscriptionInput";
import { SubscriptionPreflight } from "./subscriptionPreflight";

const description =
  "Unsigned cancelSubscription(), to be signed by the provider. It can't be undone: nobody is charged from then on, and subscribers " +
  "get their fee balances back when the protocol's janitor clears them.";

/** What both forms of preparing cancelSubscription() share; `operation` is the form's name. */
export function cancelForm(operation: string) {
  return {
    ...prepareCommon,
    name: operation,
    toolsets: ["provider"],
    description,
    errors: [...prepareCommon.errors, "NOT_FOUND"],
    output: singleAnswer(SubscriptionPreflight),
    handler(context: Context, input: PrepareInput & SubscriptionReference) {
      const provider = getAddress(input.from);
      const { contract } = context.chain.config;
      const resolve = resolveSubscription(context, input, readSubscriptionFacts);
      return prepareTransaction(context, {
        operation,
        input,
        plan: async (client, block) => {
          const { record, token } = await resolve(client, block);
          return {
            facts: { subscription: presentSubscription(record, token) },
            refusals: refusalsOf(record, provider),
            warnings: [
              { code: "IRREVERSIBLE", message: "A cancelled subscription can't be resumed; create a new one." },
            ],
            ways: [[{ title: "cancelSubscription", to: contract, data: encodeCancelSubscription(record) }]],
          };
        },
      });
    },
  } as const;
}

/** In the order in which the contract asks. */
function refusalsOf(record: SubscriptionFacts["record"], provider: string): Refusal[] {
  const refusals: Refusal[] = [];
  if (record.provider !== provider) refusals.push(protocolRefusal("13"));
  if (record.cancelled) refusals.push(protocolRefusal("23", "The subscription is cancelled already."));
  return refusals;
}
