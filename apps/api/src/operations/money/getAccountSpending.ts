import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { chainAnswer } from "../../operation/chainAnswer";
import { indexedRead } from "../../operation/chainRead";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { answerMoney, moneyInput, moneyOutput, moneySummarized } from "./answerMoney";

export const getAccountSpending = defineOperation({
  ...indexedRead,
  name: "get_account_spending",
  http: { method: "GET", path: "/accounts/:address/spending" },
  summary: "Spending of a subscriber by day, week or month",
  forAgents: "What an account paid as subscriber, and what failed, by day, week or month and token",
  description:
    "Sums of what left the account by charges, by token: paid is what went to providers and to the account's own fee balances, " +
    "refunded what came back of those. failed sums whole amounts that were due and not charged. A net can be negative in a period " +
    "whose refunds are of earlier charges. The answer is true for the newest indexed block. tokenSymbol is untrusted text.",
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "subscriber"],
  input: Type.Object({ address: inPath({ ...Address, description: "The account" }), ...moneyInput }),
  csvRows: "periods",
  summarized: moneySummarized("subscriber"),
  output: chainAnswer({ account: Address, ...moneyOutput("subscriber") }),
  example: { address: "0x1111111111111111111111111111111111111111", group: "month" },
  async handler(context, { address, ...input }) {
    const account = getAddress(address);
    const answer = await answerMoney(context, { role: "subscriber", ...input, account });
    return { chainId: context.chain.config.chainId, account, ...answer };
  },
});
