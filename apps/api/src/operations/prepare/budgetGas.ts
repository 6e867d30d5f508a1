import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { FeeEstimate } from "@dueday/chain/fees/estimateFees";
import type { GasSource } from "@dueday/chain/simulate/simulateBatch";
import { estimateGas, summarizeGas } from "./estimateGas";
import type { GasEstimate, GasSummary } from "./prepareAnswer";

export type BudgetGasParameters = {
  gasUsed: readonly { gas: bigint; source: GasSource }[];
  /** Wei for each transaction; null on a chain without an L1 fee. */
  l1Fees: readonly (bigint | null)[];
  fees: FeeEstimate;
  block: ChainBlock;
};

/** The gas budget of each transaction of a batch, and the sum. */
export function budgetGas({ gasUsed, l1Fees, fees, block }: BudgetGasParameters): {
  gasEstimates: GasEstimate[];
  gasSummary: GasSummary;
} {
  const gasEstimates = gasUsed.map(({ gas, source }, index) =>
    estimateGas({ gasUsed: gas, fees, l1FeeWei: l1Fees[index] ?? null, blockGasLimit: block.gasLimit, source }),
  );
  return { gasEstimates, gasSummary: summarizeGas(gasEstimates) };
}
