import { presentSubscription } from "@dueday/chain/reads/presentSubscription";
import { readSubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { Subscription } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { answerRecent } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation } from "../../operation/defineOperation";
import { subscriptionId, toId, unknownSubscription } from "./subscriptionId";

export const getSubscription = defineOperation({
  name: "get_subscription",
  http: { method: "GET", path: "/subscriptions/:id" },
  summary: "One subscription",
  description:
    "The subscription as the contract holds it: who is paid, which token, how much, and on which day of which period. tokenSymbol " +
    "is text by whoever made the token.",
  chainScoped: true,
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "subscriber", "provider"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["NOT_FOUND", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ id: subscriptionId }),
  output: chainAnswer({ subscription: Subscription }),
  example: { id: `0x${"12".repeat(32)}` },
  handler(context, input) {
    const { contract } = context.chain.config;
    const id = toId(input.id);
    return answerRecent(context, async (client, block) => {
      const found = await readSubscriptionFacts(client, { contract, id, block, prefetched: null });
      if (found === null) throw unknownSubscription(context.chain, id);
      return { subscription: presentSubscription(found.record, found.token) };
    });
  },
});
