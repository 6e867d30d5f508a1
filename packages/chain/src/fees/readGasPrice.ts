import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { expectQuantity } from "../client/expectQuantity";
import { explainRefusal } from "../client/explainRefusal";
import { RpcRefusal } from "../client/rpcOutcome";

/** Wei per gas. */
export type GasPrice = { baseFeePerGas: bigint; maxPriorityFeePerGas: bigint };

/** What gas costs after `block`. Where the node has no priority fee, it is derived from its gas price. Throws ServiceError UPSTREAM_*. */
export async function readGasPrice(client: ChainClient, { block }: { block: ChainBlock }): Promise<GasPrice> {
  try {
    const { baseFeePerGas } = block;
    return { baseFeePerGas, maxPriorityFeePerGas: await readPriorityFee(client, baseFeePerGas) };
  } catch (error) {
    throw explainRefusal(error);
  }
}

async function readPriorityFee(client: ChainClient, baseFeePerGas: bigint): Promise<bigint> {
  try {
    return await readWei(client, "eth_maxPriorityFeePerGas");
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    const gasPrice = await readWei(client, "eth_gasPrice");
    return gasPrice > baseFeePerGas ? gasPrice - baseFeePerGas : 0n;
  }
}

async function readWei(client: ChainClient, method: "eth_maxPriorityFeePerGas" | "eth_gasPrice"): Promise<bigint> {
  return expectQuantity(await client.rpc(method, []), method);
}
