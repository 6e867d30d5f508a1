import { gasPriceOf, type PlannedCosts, type Profits, profitOf, readPrice } from "./profitOf";
import type { TypedPrices } from "./usePrices";

/** What settling earns at the typed prices. */
export type Advice = {
  /** Wei for one unit of gas; null where what was typed is not a price. */
  gasWei: bigint | null;
  profits: Profits;
  /** Whether the gas of every transaction is known: a plan that was modelled on some nodes has none. */
  isMeasured: boolean;
  /** Whether the gas, its price and the price of every token in the plan's fees are known. Without them nothing is advised. */
  isKnown: boolean;
};

/** Reads the typed prices, and computes what the plan earns at them. */
export function adviceOf(plan: PlannedCosts, { gas, tokens }: TypedPrices): Advice {
  const gasWei = gas === null ? gasPriceOf(plan) : readPrice(gas, "gwei");
  const paidIn = new Set(plan.plan.transactions.flatMap(({ callerFees }) => callerFees.map(({ token }) => token)));
  const prices = [...paidIn].map((token) => [token, readPrice(tokens[token] ?? "", "ETH")] as const);
  const tokenWei = new Map(prices.flatMap(([token, wei]) => (wei === null ? [] : [[token, wei] as const])));
  const isMeasured = plan.plan.transactions.every(({ gasUsed }) => gasUsed !== undefined);
  const isKnown = isMeasured && gasWei !== null && tokenWei.size > 0 && tokenWei.size === paidIn.size;
  return { gasWei, isMeasured, isKnown, profits: profitOf(plan, { gasWei: gasWei ?? 0n, tokenWei }) };
}
