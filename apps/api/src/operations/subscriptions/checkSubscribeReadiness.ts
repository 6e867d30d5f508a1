import { prefetchNamed, type SubscriptionReference } from "@dueday/chain/prepare/namedSubscription";
import { readSubscribeReadiness } from "@dueday/chain/prepare/readSubscribeReadiness";
import { Address } from "@dueday/core/schema";
import { SubscribeReadiness } from "@dueday/core/schemas/subscribeReadiness";
import { Type } from "@sinclair/typebox";
import { signer } from "../../operation/addressFaults";
import { answerLive } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import type { Context } from "../../operation/context";
import { defineOperation, inBody } from "../../operation/defineOperation";
import { detailInBody } from "../../operation/detail";
import { exampleFrom, exampleId, exampleSubscription, idInBody, subscriptionInBody } from "../prepare/prepareInput";

const from = inBody({ ...Address, ...signer, description: "The wallet that would subscribe" });

const description =
  "Allowance, balance and the protocol's rules; what the first payment takes today and where it goes; what a late remit() will " +
  "still charge; for how many periods allowance and balance last. A low allowance does not make ready false: prepare adds an approve.";

/** What both forms have in common. */
const form = ({ simulate }: { simulate: boolean }) =>
  ({
    ...chainRead,
    area: "subscriptions",
    toolsets: ["subscriber"],
    errors: ["NOT_FOUND", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
    summarized: {
      omits: [
        "allowanceRaw",
        "balanceRaw",
        "requiredAmountRaw",
        "tokenDecimals",
        ...["totalRaw", "toFeeBalanceRaw", "toProviderRaw", "tokenDecimals"].map((name) => `initialCharge.${name}`),
        ...["token", "amountRaw", "tokenDecimals", "frequency"].map((name) => `subscription.${name}`),
      ],
    },
    output: chainAnswer(SubscribeReadiness.properties),
    handler(context: Context, input: { from: string } & SubscriptionReference) {
      const { client, config: chain, coverage } = context.chain;
      const prefetched = prefetchNamed({ client, contract: chain.contract }, input);
      return answerLive(context, (client, block) =>
        readSubscribeReadiness(client, { ...input, chain, coverage, block, prefetched, simulate }),
      );
    },
  }) as const;

export const checkSubscribeReadiness = defineOperation({
  ...form({ simulate: true }),
  name: "check_subscribe_readiness",
  http: { method: "POST", path: "/check_subscribe_readiness" },
  summary: "Whether a wallet can subscribe, by rules and simulation (object form)",
  forAgents: "As check_subscribe_readiness_by_id, given a whole subscription record, and with a simulation",
  answersLike: "check_subscribe_readiness_by_id",
  toolsets: ["forms"],
  description: `${description} Also simulates what prepare would return. Fields of subscription that differ from the chain are refused.`,
  bucket: "write",
  input: Type.Object({ from, ...subscriptionInBody, ...detailInBody }),
  example: { from: exampleFrom, subscription: exampleSubscription },
});

export const checkSubscribeReadinessById = defineOperation({
  ...form({ simulate: false }),
  name: "check_subscribe_readiness_by_id",
  http: { method: "POST", path: "/check_subscribe_readiness_by_id" },
  summary: "Whether a wallet can subscribe, by the protocol's rules (preferred)",
  forAgents:
    "Whether a wallet can subscribe now: allowance, balance, first charge, periods they last. Use it before prepare_subscribe_by_id",
  description: `${description} By rules alone, without a simulation: cheap enough to be called often.`,
  bucket: "cheap",
  mcpBucket: "write",
  input: Type.Object({ from, ...idInBody, ...detailInBody }),
  example: { from: exampleFrom, id: exampleId },
});
