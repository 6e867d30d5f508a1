import type { Hex } from "viem";
import type { ChainBlock } from "./chainBlock";

/** The block as a JSON-RPC parameter (EIP-1898). By hash: two nodes may hold different blocks of one number. */
export function blockReference(block: Pick<ChainBlock, "hash">): { blockHash: Hex } {
  return { blockHash: block.hash };
}
