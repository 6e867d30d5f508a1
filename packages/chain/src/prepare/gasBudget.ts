import { formatUnits } from "@dueday/core/amounts/decimalText";
import type { GasEstimate, GasSummary } from "@dueday/core/schemas/prepareAnswer";
import type { ChainBlock } from "../block/chainBlock";
import type { FeeEstimate } from "../fees/estimateFees";
import type { GasSource } from "../simulate/simulateBatch";

export type GasBudgetParameters = {
  /** Of each transaction, as simulated, after refunds. */
  gasUsed: readonly { gas: bigint; source: GasSource }[];
  /** Wei for each transaction; null on a chain without an L1 fee. */
  l1Fees: readonly (bigint | null)[];
  fees: FeeEstimate;
  block: ChainBlock;
};

/** The gas budget of each transaction of a batch, and the sum. */
export function gasBudget({ gasUsed, l1Fees, fees, block }: GasBudgetParameters): {
  gasEstimates: GasEstimate[];
  gasSummary: GasSummary;
} {
  const gasEstimates = gasUsed.map(({ gas, source }, index) =>
    estimateGas({ gasUsed: gas, source, fees, l1FeeWei: l1Fees[index] ?? null, blockGasLimit: block.gasLimit }),
  );
  return { gasEstimates, gasSummary: summarizeGas(gasEstimates) };
}

type GasParameters = {
  gasUsed: bigint;
  source: GasSource;
  fees: FeeEstimate;
  l1FeeWei: bigint | null;
  /** Of a block: no transaction can have more. */
  blockGasLimit: bigint;
};

/**
 * A refund may be a fifth of the gas at most (EIP-3529), so up to 5/4 of `gasUsed` can be needed on the way; half as much again
 * covers that and a state that moved meanwhile. The cost is that of the gas that is used.
 */
function estimateGas({ gasUsed, source, fees, l1FeeWei, blockGasLimit }: GasParameters): GasEstimate {
  const withMargin = (gasUsed * 3n) / 2n;
  const gasLimit = withMargin < blockGasLimit ? withMargin : blockGasLimit;
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
