import type { ChainClient } from "../client/createChainClient";
import type { ChainBlock } from "./chainBlock";

/** The latest block of the chain. */
export async function readHead(_client: ChainClient): Promise<ChainBlock> {
  throw new Error("not built yet");
}
