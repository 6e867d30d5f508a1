import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import type { ErrorCode } from "@dueday/core/errors";
import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerLive } from "../../chain/answerLive";
import type { RequestContext } from "../../context";
import { defineOperation, inBody } from "../../operation";
import { chainAnswer } from "../../schema/chainAnswer";
import { SubscribeReadiness } from "../../schema/subscribeReadiness";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  type SubscriptionReference,
  subscriptionInBody,
} from "../../schema/subscriptionInput";
import { planSubscribe } from "../prepare/planSubscribe";
import { preflightOf } from "../prepare/prepareTransactions";
import { simulationRefusal } from "../prepare/refusalErrors";
import { resolveSubscription } from "../prepare/resolveSubscription";
import { simulateFirstThatRuns } from "../prepare/simulateFirstThatRuns";

const errors: readonly ErrorCode[] = ["NOT_FOUND", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"];

const common = {
  chainScoped: true,
  area: "subscriptions",
  toolsets: ["subscriber"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors,
  output: chainAnswer(SubscribeReadiness.properties),
} as const;

const from = inBody({ ...Address, description: "The wallet that would subscribe" });

const description =
  "Allowance, balance and the protocol's rules; what the first payment takes today and where it goes; what a late remit() will " +
  "still take; for how many periods allowance and balance last. A low allowance does not make it false: prepare adds an approve.";

export const checkSubscribeReadiness = defineOperation({
  ...common,
  name: "check_subscribe_readiness",
  http: { method: "POST", path: "/check_subscribe_readiness" },
  summary: "Whether a wallet can subscribe, by rules and simulation (object form)",
  description: `${description} Also simulates what prepare would return. Fields of subscription that differ from the chain are refused.`,
  bucket: "write",
  input: Type.Object({ from, ...subscriptionInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription },
  handler: (context, input) => check(context, input, "simulate"),
});

export const checkSubscribeReadinessById = defineOperation({
  ...common,
  name: "check_subscribe_readiness_by_id",
  http: { method: "POST", path: "/check_subscribe_readiness_by_id" },
  summary: "Whether a wallet can subscribe, by the protocol's rules (preferred)",
  description: `${description} By rules alone, without a simulation: cheap enough to ask often.`,
  bucket: "cheap",
  mcpBucket: "write",
  input: Type.Object({ from, ...idInBody }),
  example: { from: exampleFrom, id: exampleId },
  handler: (context, input) => check(context, input, "rules"),
});

function check(context: RequestContext, input: { from: string } & SubscriptionReference, by: "rules" | "simulate") {
  const account = getAddress(input.from);
  const { contract } = context.chain.config;
  const resolve = resolveSubscription(context, input, (client, target) =>
    readSubscriberFacts(client, { ...target, account }),
  );
  return answerLive(context, async (client: ChainClient, block: ChainBlock) => {
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
}
