import type { Address, Hex } from "viem";
import type { ChainBlock } from "../block/chainBlock";
import type { ChainClient } from "../client/createChainClient";

/** L1 data fee in wei of a transaction on an OP-stack chain; null on chains without one. */
export async function estimateL1Fee(
  _client: ChainClient,
  _parameters: { to: Address; data: Hex; block: ChainBlock },
): Promise<bigint | null> {
  throw new Error("not built yet");
}
