import type { BlockStamp } from "@dueday/core/snapshots/snapshot";
import type { ChainBlock } from "./chainBlock";

/** The block as snapshots and answers name it. */
export function blockStamp(block: ChainBlock): BlockStamp {
  return {
    blockNumber: block.number.toString(),
    blockHash: block.hash,
    blockTimestamp: Number(block.timestamp),
  };
}
