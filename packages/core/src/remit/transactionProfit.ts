import type { Address } from "viem";

/** Wei of native token for one whole token, by token, and each token's decimals. */
export type Prices = ReadonlyMap<Address, { wei: bigint; decimals: number }>;

/** What one remit() earns and costs its caller, in wei. */
export type TransactionProfit = {
  costWei: bigint;
  /** Fees in tokens with a price, each rounded down; those without count as 0. */
  feesWei: bigint;
  netWei: bigint;
  profitable: boolean;
  /** Wei per gas at which the transaction earns nothing; 0 where the fees do not cover those of the rollup. */
  breakEvenGasPrice: bigint;
};

export type TransactionProfitParameters = {
  callerFees: readonly { token: Address; units: bigint }[];
  gasUsed: bigint;
  /** Wei per gas that the transaction would pay. */
  gasPrice: bigint;
  /** Wei that a rollup charges for one transaction besides its gas (L1 and operator fee); 0 on a chain without such fees. */
  rollupFeesWei: bigint;
  prices: Prices;
};

/** A transaction's fees at the caller's own prices, less its cost. Profitable means above 0. */
export function transactionProfit({
  callerFees,
  gasUsed,
  gasPrice,
  rollupFeesWei,
  prices,
}: TransactionProfitParameters): TransactionProfit {
  let feesWei = 0n;
  for (const { token, units } of callerFees) {
    const price = prices.get(token);
    if (price !== undefined) feesWei += (units * price.wei) / 10n ** BigInt(price.decimals);
  }
  const costWei = gasUsed * gasPrice + rollupFeesWei;
  const netWei = feesWei - costWei;
  const breakEvenGasPrice = feesWei > rollupFeesWei && gasUsed > 0n ? (feesWei - rollupFeesWei) / gasUsed : 0n;
  return { costWei, feesWei, netWei, profitable: netWei > 0n, breakEvenGasPrice };
}
