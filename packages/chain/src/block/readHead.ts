import type { ChainClient } from "../client/createChainClient";
import { explainRefusal } from "../client/explainRefusal";
import type { ChainBlock } from "./chainBlock";
import { parseBlock } from "./parseBlock";

/** The latest block of the chain. */
export async function readHead(client: ChainClient): Promise<ChainBlock> {
  try {
    const { parentHash: _, ...block } = parseBlock(await client.rpc("eth_getBlockByNumber", ["latest", false]));
    return block;
  } catch (error) {
    throw explainRefusal(error);
  }
}
