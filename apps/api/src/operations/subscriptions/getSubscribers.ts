import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import { protocolRead } from "@dueday/chain/reads/protocolRead";
import { readMany } from "@dueday/chain/reads/readMany";
import { readSubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { Type } from "@sinclair/typebox";
import type { Hex } from "viem";
import { answerRecent } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation } from "../../operation/defineOperation";
import { first, pageFields, skip } from "../../operation/paging";
import { answerFromEvents } from "./answerFromEvents";
import { presentSubscribers, Subscriber } from "./presentSubscribers";
import { subscriptionId, toId, unknownSubscription } from "./subscriptionId";

export const getSubscribers = defineOperation({
  name: "get_subscribers",
  http: { method: "GET", path: "/subscriptions/:id/subscribers" },
  summary: "Active subscribers of a subscription",
  description:
    "Who would be charged, with what each has prepaid for keepers, and whether allowance and balance cover one more payment: where " +
    "one of them does not, the next remit() removes the subscriber. Where the contract's own list can't be read (entries that left " +
    "while a remit was half way, or too many), subscribers come from the events, lowest address first, and asOf is the block that " +
    "events are known up to.",
  chainScoped: true,
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["NOT_FOUND", "NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ id: subscriptionId, first, skip }),
  output: chainAnswer({ subscribers: Type.Array(Subscriber), ...pageFields }),
  example: { id: `0x${"12".repeat(32)}` },
  async handler(context, input) {
    const { contract } = context.chain.config;
    const id = toId(input.id);
    const { first, skip } = input;
    const { answer, ...stamp } = await answerRecent(context, async (client, block) => {
      const [facts, rows] = await Promise.all([
        readSubscriptionFacts(client, { contract, id, block, prefetched: null }),
        readView(client, { contract, id, block }),
      ]);
      if (facts === null) throw unknownSubscription(context.chain, id);
      if (rows === null) return { answer: null };
      const page = { rows: rows.slice(skip, skip + first), count: rows.length, skip };
      return { answer: await presentSubscribers(client, { contract, facts, page, block }) };
    });
    return answer === null ? answerFromEvents(context, { id, first, skip }) : { ...stamp, ...answer };
  },
});

/** The contract's own list: exactly the active subscribers, in set order; null where it reverts (protocol part 7) or is too long. */
async function readView(client: ChainClient, target: { contract: Hex; id: Hex; block: ChainBlock }) {
  const read = protocolRead(target.contract, "getSubscribersById", [target.id]);
  const [result] = await readMany(client, [read], target.block);
  return result.ok ? result.value : null;
}
