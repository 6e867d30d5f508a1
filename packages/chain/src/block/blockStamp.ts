import type { BlockStamp } from "@dueday/core/snapshots/snapshot";
import type { ChainBlock } from "./chainBlock";

/** The block in the form of snapshots and answers. */
export function blockStamp(block: ChainBlock): BlockStamp {
  return {
    blockNumber: block.number.toString(),
    blockHash: block.hash,
    blockTimestamp: Number(block.timestamp),
    ...(block.timestampMs === undefined ? {} : { timestampMs: block.timestampMs }),
  };
}
