import { expectValue, protocolRead } from "@dueday/chain/reads/protocolRead";
import { readMany } from "@dueday/chain/reads/readMany";
import { readSubscriptionFacts } from "@dueday/chain/reads/readSubscriptionFacts";
import { Address, Bytes32 } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerRecent } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { FeeBalance, feeBalanceFields } from "./feeBalance";
import { subscriptionId, toId, unknownSubscription } from "./subscriptionId";

export const getFeeBalance = defineOperation({
  name: "get_fee_balance",
  http: { method: "GET", path: "/subscriptions/:id/fee-balance" },
  summary: "What a subscriber has prepaid for the keepers of one subscription",
  description:
    "The fee balance of one address with one subscription: what keepers are paid from, filled up by the subscriber's own payments. " +
    "0 for an address that never subscribed.",
  chainScoped: true,
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "subscriber"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["NOT_FOUND", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ id: subscriptionId, address: inQuery({ ...Address, description: "The subscriber" }) }),
  output: chainAnswer({ id: Bytes32, address: Address, ...FeeBalance.properties }),
  example: { id: `0x${"12".repeat(32)}`, address: "0x1111111111111111111111111111111111111111" },
  handler(context, input) {
    const { contract } = context.chain.config;
    const id = toId(input.id);
    const address = getAddress(input.address);
    return answerRecent(context, async (client, block) => {
      const [found, [feeBalance]] = await Promise.all([
        readSubscriptionFacts(client, { contract, id, block, prefetched: null }),
        readMany(client, [protocolRead(contract, "feeBalance", [id, address])], block),
      ]);
      if (found === null) throw unknownSubscription(context.chain, id);
      return { id, address, ...feeBalanceFields(expectValue(feeBalance, "feeBalance"), found.token.decimals) };
    });
  },
});
