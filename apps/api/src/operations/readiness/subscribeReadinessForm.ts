import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import type { ErrorCode } from "@dueday/core/errors";
import { getAddress } from "viem";
import { answerLive } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import type { Context } from "../../operation/context";
import { planSubscribe } from "../prepare/planSubscribe";
import { preflightOf } from "../prepare/prepareTransactions";
import { simulationRefusal } from "../prepare/refusalErrors";
import { resolveSubscription } from "../prepare/resolveSubscription";
import { simulateFirstThatRuns } from "../prepare/simulateFirstThatRuns";
import type { SubscriptionReference } from "../prepare/subscriptionInput";
import { SubscribeReadiness } from "./subscribeReadiness";

const errors: readonly ErrorCode[] = ["NOT_FOUND", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"];

const description =
  "Allowance, balance and the protocol's rules; what the first payment takes today and where it goes; what a late remit() will " +
  "still take; for how many periods allowance and balance last. A low allowance does not make it false: prepare adds an approve.";

const depths = {
  rules: "By rules alone, without a simulation: cheap enough to ask often.",
  simulation:
    "Also simulates what prepare would return. Fields of subscription that differ from the chain are refused.",
};

/** What both forms of the subscribe readiness share; `by` says how deep it looks. */
export function subscribeReadinessForm(by: keyof typeof depths) {
  return {
    description: `${description} ${depths[by]}`,
    chainScoped: true,
    area: "subscriptions",
    toolsets: ["subscriber"],
    annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
    errors,
    output: chainAnswer(SubscribeReadiness.properties),
    handler(context: Context, input: { from: string } & SubscriptionReference) {
      const account = getAddress(input.from);
      const { contract } = context.chain.config;
      const resolve = resolveSubscription(context, input, (client, target) =>
        readSubscriberFacts(client, { ...target, account }),
      );
      return answerLive(context, async (client, block) => {
        const plan = planSubscribe({ facts: await resolve(client, block), contract, block, infiniteApproval: false });
        if (by === "rules" || plan.refusals.length > 0) return preflightOf(plan, plan.refusals);
        const { calls, simulation } = await simulateFirstThatRuns(client, {
          ways: plan.ways,
          from: account,
          broadcaster: account,
          block,
        });
        const refusal = simulationRefusal(calls, simulation);
        return preflightOf(plan, refusal === null ? [] : [refusal]);
      });
    },
  } as const;
}
