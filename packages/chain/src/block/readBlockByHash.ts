import type { Hex } from "viem";
import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import type { ChainBlock } from "./chainBlock";
import { parseBlock } from "./parseBlock";

/** The block with this hash. UPSTREAM_ERROR where the node does not have it. */
export async function readBlockByHash(client: ChainClient, hash: Hex): Promise<ChainBlock> {
  try {
    const { parentHash: _, ...block } = parseBlock(await client.rpc("eth_getBlockByHash", [hash, false]));
    return block;
  } catch (error) {
    throw explainRefusal(error);
  }
}
