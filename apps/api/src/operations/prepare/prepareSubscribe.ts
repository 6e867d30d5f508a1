import { readSubscriberFacts } from "@dueday/chain/reads/readSubscriberFacts";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import type { RequestContext } from "../../context";
import { defineOperation, inBody } from "../../operation";
import { prepareAnswer } from "../../schema/prepareAnswer";
import { prepareInput } from "../../schema/prepareInput";
import { SubscribeReadiness } from "../../schema/subscribeReadiness";
import {
  exampleFrom,
  exampleId,
  exampleSubscription,
  idInBody,
  type SubscriptionReference,
  subscriptionInBody,
} from "../../schema/subscriptionInput";
import { planSubscribe } from "./planSubscribe";
import { prepareCommon } from "./prepareCommon";
import { type PrepareInput, prepareTransactions } from "./prepareTransactions";
import { resolveSubscription } from "./resolveSubscription";

const infiniteApproval = inBody(
  Type.Optional(
    Type.Boolean({
      description:
        "Approve without limit, where the allowance would not outlast the first remit. Default: the amount alone",
    }),
  ),
);

const description =
  "Unsigned subscribe(), with an approve() before it when the allowance is too low: then signingMode is eip5792 and both are " +
  "simulated in sequence on one state. A token that refuses to change an allowance gets approve(0) first. The initial charge is " +
  "taken at once and spends part of the allowance: see preflight.initialCharge, preflight.runway and warnings.";

export const prepareSubscribe = defineOperation({
  ...prepareCommon,
  toolsets: ["subscriber"],
  name: "prepare_subscribe",
  http: { method: "POST", path: "/prepare/subscribe" },
  summary: "Unsigned subscribe, with approve when needed (object form)",
  description: `${description} Object form: fields of subscription that differ from the chain are refused.`,
  errors: [...prepareCommon.errors, "NOT_FOUND"],
  input: Type.Object({ ...prepareInput, ...subscriptionInBody, infiniteApproval }),
  output: prepareAnswer(SubscribeReadiness),
  example: { from: exampleFrom, subscription: exampleSubscription },
  handler: (context, input) => prepare(context, input, "prepare_subscribe"),
});

export const prepareSubscribeById = defineOperation({
  ...prepareCommon,
  toolsets: ["subscriber"],
  name: "prepare_subscribe_by_id",
  http: { method: "POST", path: "/prepare/subscribe_by_id" },
  summary: "Unsigned subscribe by id, with approve when needed (preferred)",
  description,
  errors: [...prepareCommon.errors, "NOT_FOUND"],
  input: Type.Object({ ...prepareInput, ...idInBody, infiniteApproval }),
  output: prepareAnswer(SubscribeReadiness),
  example: { from: exampleFrom, id: exampleId },
  handler: (context, input) => prepare(context, input, "prepare_subscribe_by_id"),
});

type SubscribeInput = PrepareInput & SubscriptionReference & { infiniteApproval?: Static<typeof infiniteApproval> };

function prepare(context: RequestContext, input: SubscribeInput, operation: string) {
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
}
