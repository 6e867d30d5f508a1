import { readFeeBalance } from "@dueday/chain/subscriptions/readSubscription";
import { deprecated } from "@dueday/core/remit/plan";
import { Address, Bytes32 } from "@dueday/core/schema";
import { FeeBalance } from "@dueday/core/schemas/feeBalance";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { answerRecent } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { subscriptionId } from "../../operation/pathInputs";

export const getFeeBalance = defineOperation({
  ...chainRead,
  name: "get_fee_balance",
  http: { method: "GET", path: "/subscriptions/:id/fee-balance" },
  summary: "What a subscriber has prepaid for the keepers of one subscription",
  forAgents: "What a subscriber has prepaid for keepers' fees of one subscription",
  description:
    "The fee balance of one address in one subscription: it pays the keepers, and the subscriber's own payments fill it up. " +
    "0 for an address that never subscribed.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "subscriber"],
  errors: ["NOT_FOUND", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({ id: subscriptionId, address: inQuery({ ...Address, description: "The subscriber" }) }),
  output: chainAnswer({
    id: Bytes32,
    account: Address,
    address: deprecated(Address, "account"),
    ...FeeBalance.properties,
  }),
  example: { id: `0x${"12".repeat(32)}`, address: "0x1111111111111111111111111111111111111111" },
  handler(context, input) {
    const { contract } = context.chain.config;
    const target = { contract, id: toLowerCase(input.id), address: getAddress(input.address) };
    return answerRecent(context, (client, block) => readFeeBalance(client, { ...target, block }));
  },
});
