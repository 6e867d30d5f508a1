import { decimalToUnits } from "../../format/formatAmount";

/** The part of the plan that profit depends on. Amounts are the API's decimal strings. */
export type PlannedCosts = {
  totals: {
    transactions: number;
    gasUsed: string;
    estimatedCostWei: string;
    l1FeeWei?: string | undefined;
    operatorFeeWei?: string | undefined;
  };
  plan: {
    transactions: readonly {
      index: number;
      gasUsed?: string | undefined;
      callerFees: readonly { token: string; amountRaw: string; tokenDecimals: number }[];
    }[];
  };
};

/** Prices of the keeper: wei for one unit of gas, and for one whole token by the token's address. */
export type Prices = { gasWei: bigint; tokenWei: ReadonlyMap<string, bigint> };

/** What one transaction earns. `netWei` and `cumulativeWei` may be negative. */
export type Profit = { index: number; feesWei: bigint; costWei: bigint; netWei: bigint; cumulativeWei: bigint };

export type Profits = {
  transactions: Profit[];
  /** Number of transactions, counted from the first, whose total net is highest; 0 where no such number earns anything. */
  best: number;
  /** Total net of these transactions. */
  bestWei: bigint;
};

/**
 * What each transaction of a plan earns at these prices, and how far it is worth going. They must be sent in order, so the running
 * total decides: a transaction at a loss can be worth sending for those that follow it. Fees of rollups are shared out evenly, because each
 * transaction carries the same data.
 */
export function profitOf({ totals, plan }: PlannedCosts, { gasWei, tokenWei }: Prices): Profits {
  const rollupWei = BigInt(totals.l1FeeWei ?? 0) + BigInt(totals.operatorFeeWei ?? 0);
  const rollupEachWei = totals.transactions === 0 ? 0n : rollupWei / BigInt(totals.transactions);
  let cumulativeWei = 0n;
  let [best, bestWei] = [0, 0n];
  const transactions = plan.transactions.map(({ index, gasUsed, callerFees }, position) => {
    const feesWei = callerFees.reduce(
      (sum, { token, amountRaw, tokenDecimals }) =>
        sum + (BigInt(amountRaw) * (tokenWei.get(token) ?? 0n)) / 10n ** BigInt(tokenDecimals),
      0n,
    );
    const costWei = BigInt(gasUsed ?? 0) * gasWei + rollupEachWei;
    const netWei = feesWei - costWei;
    cumulativeWei += netWei;
    if (cumulativeWei > bestWei) [best, bestWei] = [position + 1, cumulativeWei];
    return { index, feesWei, costWei, netWei, cumulativeWei };
  });
  return { transactions, best, bestWei };
}

/** The gas price in the plan's estimated cost, without the fees of rollups; 0 where the plan has no gas. */
export function gasPriceOf({ totals }: Pick<PlannedCosts, "totals">): bigint {
  const gas = BigInt(totals.gasUsed);
  const execution = BigInt(totals.estimatedCostWei) - BigInt(totals.l1FeeWei ?? 0) - BigInt(totals.operatorFeeWei ?? 0);
  return gas === 0n ? 0n : execution / gas;
}

const GWEI_DECIMALS = 9;
const ETHER_DECIMALS = 18;

/** A typed price in wei; null where it is not a number, is negative, or has too many decimals. */
export function readPrice(text: string, unit: "gwei" | "ETH"): bigint | null {
  const wei = decimalToUnits(text.trim(), unit === "gwei" ? GWEI_DECIMALS : ETHER_DECIMALS);
  return wei === null || wei < 0n ? null : wei;
}
