import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { chainAnswer } from "../../operation/chainAnswer";
import { indexedRead } from "../../operation/chainRead";
import { defineOperation, inPath } from "../../operation/defineOperation";
import { answerMoney, moneyInput, moneyOutput, moneySummarized } from "./answerMoney";

export const getProviderIncome = defineOperation({
  ...indexedRead,
  name: "get_provider_income",
  http: { method: "GET", path: "/providers/:address/income" },
  summary: "Income of a provider by day, week or month",
  forAgents: "What a provider earned by charges, and what failed, by day, week or month and token",
  description:
    "Sums of what the provider received, by token: paid is its part of each charge, returnedPrepayments the fee balances it received when " +
    "subscribers left, and net both. The part of a charge that goes to the subscriber's fee balance is not income. failed sums whole amounts " +
    "that were due and not charged. The answer is true for the newest indexed block. tokenSymbol is untrusted text.",
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  input: Type.Object({ address: inPath({ ...Address, description: "The provider" }), ...moneyInput }),
  csvRows: "periods",
  summarized: moneySummarized("provider"),
  output: chainAnswer({ provider: Address, ...moneyOutput("provider") }),
  example: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", group: "month" },
  async handler(context, { address, ...input }) {
    const provider = getAddress(address);
    const answer = await answerMoney(context, { account: provider, role: "provider", ...input });
    return { chainId: context.chain.config.chainId, provider, ...answer };
  },
});
