import { encodeRemit } from "@dueday/core/calldata/encodeRemit";
import type { Address } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { estimateRollupFees } from "../fees/estimateRollupFees";
import { readGasPrice } from "../fees/readGasPrice";
import { transactionGasLimit } from "../fees/transactionGasLimit";
import type { PlanFacts } from "./presentPlan";

/** What gas costs after the block, and how much a transaction may have. Throws ServiceError UPSTREAM_* where the node fails. */
export async function readRemitCosts(
  client: ChainClient,
  { contract, block }: { contract: Address; block: ChainBlock },
): Promise<Pick<PlanFacts, "gasPrice" | "rollupFees" | "gasCap">> {
  const gasCap = transactionGasLimit(client, block);
  const [price, rollupFees] = await Promise.all([
    readGasPrice(client, { block }),
    estimateRollupFees(client, { to: contract, data: encodeRemit(), gas: gasCap, block }),
  ]);
  return { gasPrice: price.baseFeePerGas + price.maxPriorityFeePerGas, rollupFees, gasCap };
}
