import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** Wei per gas. `maxFeePerGas` covers twice the base fee of the block. */
export type FeeEstimate = { baseFeePerGas: bigint; maxPriorityFeePerGas: bigint; maxFeePerGas: bigint };

export async function estimateFees(_client: ChainClient, _parameters: { block: ChainBlock }): Promise<FeeEstimate> {
  throw new Error("not built yet");
}
