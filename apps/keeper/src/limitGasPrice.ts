import type { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";

/** When a transaction is worth sending. Null: at any cost. */
export type CostLimits = {
  /** Least net gain of a transaction, wei. Needs prices. */
  minProfitWei: bigint | null;
  /** Highest base fee and tip, wei per gas. */
  maxGasPrice: bigint | null;
  /** `token:wei`, wei of native token for one whole token, as GET /remit/plan takes it. */
  prices: readonly string[];
};

/** What a planned transaction earns, and what its rollup charges beside gas. `feesWei` is absent where the API has no price for a token. */
export type PlannedFees = Pick<RemitPlanAnswer["transactions"][number], "feesWei"> & { rollupFeesWei: bigint };

/** Gas of a transaction as it would be signed, and what gas costs now (base fee and tip). Prices in wei per gas. */
export type GasEstimate = { gasLimit: bigint; gasPrice: bigint; maxFeePerGas: bigint };

/**
 * The highest price to sign a transaction with, so that even its whole gas limit at that price stays within the limits; or the
 * reason not to send it, where gas costs more than that already.
 */
export function limitGasPrice(
  { minProfitWei, maxGasPrice }: CostLimits,
  planned: PlannedFees | null,
  { gasLimit, gasPrice, maxFeePerGas }: GasEstimate,
): { maxFeePerGas: bigint } | { reason: string } {
  if (maxGasPrice !== null && gasPrice > maxGasPrice) {
    return { reason: `gas costs ${gasPrice} wei, more than the ${maxGasPrice} of --max-gas-price` };
  }
  const others: bigint[] = [];
  if (maxGasPrice !== null) others.push(maxGasPrice);
  if (minProfitWei !== null) {
    if (planned?.feesWei === undefined) {
      return {
        reason: "the API returns no value of its fees, which --min-profit needs: add a --price for each fee token",
      };
    }
    const earnedWei = BigInt(planned.feesWei) - planned.rollupFeesWei;
    const netWei = earnedWei - gasLimit * gasPrice;
    if (netWei < minProfitWei) {
      return { reason: `it may earn only ${netWei} wei net, less than the ${minProfitWei} of --min-profit` };
    }
    others.push((earnedWei - minProfitWei) / gasLimit);
  }
  return { maxFeePerGas: lowest(maxFeePerGas, ...others) };
}

/** Math.min for bigint. */
export function lowest(first: bigint, ...others: bigint[]): bigint {
  let least = first;
  for (const each of others) if (each < least) least = each;
  return least;
}
