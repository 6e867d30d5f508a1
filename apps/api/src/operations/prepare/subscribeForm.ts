import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { getAddress } from "viem";
import type { Context } from "../../operation/context";
import { SubscribeReadiness } from "../readiness/subscribeReadiness";
import { planSubscribe } from "./planSubscribe";
import { prepareAnswer } from "./prepareAnswer";
import { prepareCommon } from "./prepareCommon";
import { type PrepareInput, prepareTransactions } from "./prepareTransactions";
import { resolveSubscription } from "./resolveSubscription";
import type { SubscriptionReference } from "./subscriptionInput";

const description =
  "Unsigned subscribe(), with an approve() before it when the allowance is too low: then signingMode is eip5792 and both are " +
  "simulated in sequence on one state. A token that refuses to change an allowance gets approve(0) first. The initial charge is " +
  "taken at once and spends part of the allowance: see preflight.initialCharge, preflight.runway and warnings.";

type SubscribeInput = PrepareInput & SubscriptionReference & { infiniteApproval?: boolean };

/** What both forms of preparing subscribe() share; `operation` is the form's name. */
export function subscribeForm(operation: string) {
  return {
    ...prepareCommon,
    name: operation,
    toolsets: ["subscriber"],
    description,
    errors: [...prepareCommon.errors, "NOT_FOUND"],
    output: prepareAnswer(SubscribeReadiness),
    handler(context: Context, input: SubscribeInput) {
      const account = getAddress(input.from);
      const { contract } = context.chain.config;
      const resolve = resolveSubscription(context, input, (client, target) =>
        readSubscriberFacts(client, { ...target, account }),
      );
      return prepareTransactions(context, {
        operation,
        input,
        plan: async (client, block) =>
          planSubscribe({
            facts: await resolve(client, block),
            contract,
            block,
            infiniteApproval: input.infiniteApproval === true,
          }),
      });
    },
  } as const;
}
