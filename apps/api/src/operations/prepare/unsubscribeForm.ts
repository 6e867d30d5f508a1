import { readSubscriberFacts, type SubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { encodeUnsubscribe } from "@dueday/core/calldata/encodeUnsubscribe";
import type { Warning } from "@dueday/core/errors";
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
  "Unsigned unsubscribe(), to be signed by the subscriber. What is left of the fee balance goes to the provider. The chain would " +
  "accept it from a stranger and do nothing, so a wallet that is not subscribed is refused here.";

/** What both forms of preparing unsubscribe() share; `operation` is the form's name. */
export function unsubscribeForm(operation: string) {
  return {
    ...prepareCommon,
    name: operation,
    toolsets: ["subscriber"],
    description,
    errors: [...prepareCommon.errors, "NOT_FOUND"],
    output: singleAnswer(LeavingPreflight),
    handler(context: Context, input: PrepareInput & SubscriptionReference) {
      const account = getAddress(input.from);
      const { contract } = context.chain.config;
      const resolve = resolveSubscription(context, input, (client, target) =>
        readSubscriberFacts(client, { ...target, account }),
      );
      return prepareTransaction(context, {
        operation,
        input,
        plan: async (client, block) => {
          const facts = await resolve(client, block);
          const call = { title: "unsubscribe", to: contract, data: encodeUnsubscribe(facts.record) };
          return {
            facts: leavingFacts(facts),
            refusals: refusalsOf(facts),
            warnings: warningsOf(facts),
            ways: [[call]],
            afterwards: "The allowance for the contract stays as it is: set it to 0 if nothing else needs it.",
          };
        },
      });
    },
  } as const;
}

function refusalsOf({ status }: SubscriberFacts): Refusal[] {
  if (status === "unsubscribed") return [protocolRefusal("3", "This wallet has unsubscribed from it already.")];
  if (status === "active") return [];
  // The chain would not refuse: there is no revert to show.
  const message = "This wallet is not subscribed to it: the transaction would succeed and do nothing.";
  return [{ issue: { ...protocolRefusal("9").issue, message } }];
}

function warningsOf(facts: SubscriberFacts): Warning[] {
  const { feeBalance, feeBalanceRaw } = leavingFacts(facts);
  if (feeBalanceRaw === "0") return [];
  const left = `The fee balance of ${feeBalance} ${facts.token.symbol} goes to the provider.`;
  const cancelled =
    " The subscription is cancelled: whoever stays gets it back when the protocol's janitor clears the subscribers.";
  return [{ code: "FEE_BALANCE_TO_PROVIDER", message: facts.record.cancelled ? left + cancelled : left }];
}
