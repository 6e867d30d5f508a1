import type { ChainClient } from "../client/createChainClient";
import type { ChainBlock } from "./chainBlock";

/** The block to pin an answer on: the head, or its parent where one second after the head is already the next UTC day. */
export async function pinBlock(_client: ChainClient): Promise<ChainBlock> {
  throw new Error("not built yet");
}
