import type { Address } from "viem";
import { blockReference } from "../block/blockReference";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";
import { parseQuantity } from "../client/parseQuantity";
import { RpcRefusal } from "../client/rpcOutcome";

/**
 * Wei that an account holds at `block`; null where the node refuses this read, so that the rest of an answer does not fail. Throws
 * ServiceError UPSTREAM_* where the node fails.
 */
export async function readNativeBalance(
  client: ChainClient,
  { account, block }: { account: Address; block: ChainBlock },
): Promise<bigint | null> {
  try {
    return parseQuantity(await client.rpc("eth_getBalance", [account, blockReference(block)]));
  } catch (error) {
    if (error instanceof RpcRefusal) return null;
    throw error;
  }
}
