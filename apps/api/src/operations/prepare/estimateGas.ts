import type { FeeEstimate } from "@dueday/chain/fees/estimateFees";
import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { GasEstimate, GasSummary } from "./prepareAnswer";

const ETHER_DECIMALS = 18;

/** Wei as ether. */
export function formatEther(wei: bigint): string {
  return formatUnits(wei, ETHER_DECIMALS);
}

export type GasParameters = {
  /** As simulated, after refunds. */
  gasUsed: bigint;
  fees: FeeEstimate;
  /** Null on chains without an L1 fee. */
  l1FeeWei: bigint | null;
  /** Of a block: no transaction can have more. */
  blockGasLimit: bigint;
  source: GasEstimate["source"];
};

/**
 * The gas budget of one transaction. A refund may be a fifth of the gas at most (EIP-3529), so up to 5/4 of `gasUsed` can be
 * needed on the way; half as much again covers that and a state that moved meanwhile. The cost is that of what is used.
 */
export function estimateGas({ gasUsed, fees, l1FeeWei, blockGasLimit, source }: GasParameters): GasEstimate {
  const roomy = (gasUsed * 3n) / 2n;
  const gasLimit = roomy < blockGasLimit ? roomy : blockGasLimit;
  const cost = gasUsed * (fees.baseFeePerGas + fees.maxPriorityFeePerGas) + (l1FeeWei ?? 0n);
  return {
    gasLimit: gasLimit.toString(),
    maxFeePerGas: fees.maxFeePerGas.toString(),
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
    ...(l1FeeWei === null ? {} : { l1FeeWei: l1FeeWei.toString() }),
    estimatedCostWei: cost.toString(),
    estimatedCostEth: formatEther(cost),
    source,
  };
}

/** Totals over the transactions of one prepare answer. */
export function summarizeGas(estimates: readonly GasEstimate[]): GasSummary {
  const gas = estimates.reduce((sum, { gasLimit }) => sum + BigInt(gasLimit), 0n);
  const cost = estimates.reduce((sum, { estimatedCostWei }) => sum + BigInt(estimatedCostWei), 0n);
  return {
    totalGasLimit: gas.toString(),
    totalEstimatedCostWei: cost.toString(),
    totalEstimatedCostEth: formatEther(cost),
    transactionCount: estimates.length,
  };
}
