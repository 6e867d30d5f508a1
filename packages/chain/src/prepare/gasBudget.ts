import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { GasEstimate, GasSummary } from "@dueday/core/schemas/prepareAnswer";
import type { FeeEstimate } from "../fees/estimateFees";
import { operatorFeeOf, type RollupFees, rollupCost } from "../fees/estimateRollupFees";
import type { GasSource } from "../simulate/simulateBatch";

export type GasBudgetParameters = {
  /** Of each transaction, as simulated, after refunds. */
  gasUsed: readonly { gas: bigint; source: GasSource }[];
  /** Of each transaction; null on a chain without rollup fees. */
  rollupFees: readonly (RollupFees | null)[];
  fees: FeeEstimate;
  /** Gas that one transaction may have. */
  gasCap: bigint;
};

/** The gas budget of each transaction of a batch, and the sum. */
export function gasBudget({ gasUsed, rollupFees, fees, gasCap }: GasBudgetParameters): {
  gasEstimates: GasEstimate[];
  gasSummary: GasSummary;
} {
  const gasEstimates = gasUsed.map(({ gas, source }, index) =>
    estimateGas({ gasUsed: gas, source, fees, rollupFees: rollupFees[index] ?? null, gasCap }),
  );
  return { gasEstimates, gasSummary: summarizeGas(gasEstimates) };
}

type GasParameters = {
  gasUsed: bigint;
  source: GasSource;
  fees: FeeEstimate;
  rollupFees: RollupFees | null;
  gasCap: bigint;
};

/**
 * A refund may be a fifth of the gas at most (EIP-3529), so before refunds a transaction may need up to 5/4 of `gasUsed`. The limit is
 * 3/2 of it, which also covers a state that changes meanwhile. The cost is that of `gasUsed`.
 */
function estimateGas({ gasUsed, source, fees, rollupFees, gasCap }: GasParameters): GasEstimate {
  const withMargin = (gasUsed * 3n) / 2n;
  const gasLimit = withMargin < gasCap ? withMargin : gasCap;
  const cost = gasUsed * (fees.baseFeePerGas + fees.maxPriorityFeePerGas) + rollupCost(rollupFees, gasUsed);
  const operatorFeeWei = operatorFeeOf(rollupFees, gasUsed);
  return {
    gasLimit: gasLimit.toString(),
    maxFeePerGas: fees.maxFeePerGas.toString(),
    maxPriorityFeePerGas: fees.maxPriorityFeePerGas.toString(),
    ...(rollupFees && { l1FeeWei: rollupFees.l1FeeWei.toString() }),
    ...(operatorFeeWei === null ? {} : { operatorFeeWei: operatorFeeWei.toString() }),
    estimatedCostWei: cost.toString(),
    estimatedCostEth: formatEther(cost),
    source,
  };
}

function summarizeGas(estimates: readonly GasEstimate[]): GasSummary {
  const gas = estimates.reduce((sum, { gasLimit }) => sum + BigInt(gasLimit), 0n);
  const cost = estimates.reduce((sum, { estimatedCostWei }) => sum + BigInt(estimatedCostWei), 0n);
  return {
    totalGasLimit: gas.toString(),
    totalEstimatedCostWei: cost.toString(),
    totalEstimatedCostEth: formatEther(cost),
    transactionCount: estimates.length,
  };
}

function formatEther(wei: bigint): string {
  return formatUnits(wei, 18);
}
