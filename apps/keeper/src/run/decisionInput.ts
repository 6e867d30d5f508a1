import type { Address } from "viem";
import type { DecisionInput } from "../decide/decide";
import { readPrices } from "../prices/readPrices";
import type { KeeperChain } from "./keeperChain";

type Facts = Pick<DecisionInput, "plan" | "remits" | "earnedWei" | "lostWei">;

type Sources = Pick<KeeperChain, "node" | "rules" | "priceSources"> & {
  /** Called for each token that has a source of prices, with the reason why it has no price now, or null. */
  onPrice(token: Address, fault: string | null): void;
};

/** What the decision needs beside the plan: gas market and balance from the keeper's nodes, and prices from their sources. */
export async function decisionInput(sources: Sources, facts: Facts): Promise<DecisionInput> {
  const { node, rules, priceSources, onPrice } = sources;
  const tokens = [...new Set(facts.remits.flatMap(({ fees }) => fees.map(({ token }) => token)))];
  const [market, balanceWei, { timestamp }] = await Promise.all([node.market(), node.balance(), node.head()]);
  const { prices, faults } = await readPrices(priceSources, { chain: node, tokens, chainTime: timestamp });
  for (const { token, problem } of faults) onPrice(token, `no price of ${token}: ${problem}`);
  for (const token of prices.keys()) onPrice(token, null);
  return { ...facts, prices, market, balanceWei, rules };
}
