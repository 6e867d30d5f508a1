import type { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";

/** When a transaction is worth sending. Null: whatever it costs. */
export type Economy = {
  /** Least net gain of a transaction, wei. Needs prices. */
  minProfitWei: bigint | null;
  /** Highest base fee and tip, wei per gas. */
  maxGasPrice: bigint | null;
  /** `token:wei`, wei of native token for one whole token, as GET /remit/plan takes it. */
  prices: readonly string[];
};

export type PlannedWorth = Pick<RemitPlanAnswer["transactions"][number], "feesWei"> & { l1FeeWei: bigint };

/** Why a transaction of `gas` at `gasPrice` should not be sent; null where nothing speaks against it. */
export function reasonNotToSend(
  { minProfitWei, maxGasPrice }: Economy,
  worth: PlannedWorth | null,
  { gas, gasPrice }: { gas: bigint; gasPrice: bigint },
): string | null {
  if (maxGasPrice !== null && gasPrice > maxGasPrice) {
    return `gas costs ${gasPrice} wei, more than the ${maxGasPrice} of --max-gas-price`;
  }
  if (minProfitWei === null) return null;
  if (worth?.feesWei === undefined) return "the API does not tell what it earns, and --min-profit is set";
  const netWei = BigInt(worth.feesWei) - gas * gasPrice - worth.l1FeeWei;
  return netWei >= minProfitWei
    ? null
    : `it would earn ${netWei} wei net, less than the ${minProfitWei} of --min-profit`;
}
