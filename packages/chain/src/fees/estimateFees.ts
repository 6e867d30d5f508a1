import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import { parseQuantity } from "../client/parseQuantity";
import { RpcRefusal } from "../client/rpcOutcome";
import { upstreamError } from "../client/upstreamError";

/** Wei per gas. */
export type FeeEstimate = {
  baseFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Covers twice the base fee, which takes at least five full blocks to reach. */
  maxFeePerGas: bigint;
};

/** What a transaction pays for gas after `block`. Where the node has no priority fee, it is derived from its gas price. */
export async function estimateFees(client: ChainClient, { block }: { block: ChainBlock }): Promise<FeeEstimate> {
  try {
    const { baseFeePerGas } = block;
    const maxPriorityFeePerGas = await readPriorityFee(client, baseFeePerGas);
    return { baseFeePerGas, maxPriorityFeePerGas, maxFeePerGas: 2n * baseFeePerGas + maxPriorityFeePerGas };
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
  const answer = await client.rpc(method, []);
  const wei = parseQuantity(answer);
  if (wei === null) throw upstreamError({ kind: "malformed" }, method);
  return wei;
}
