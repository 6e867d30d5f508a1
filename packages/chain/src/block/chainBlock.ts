import type { Hex } from "viem";

/** A block that reads are pinned to. Times are unix seconds, fees wei per gas. */
export type ChainBlock = {
  number: bigint;
  hash: Hex;
  timestamp: bigint;
  /** Unix milliseconds, where the node sends them: several blocks may have one `timestamp`. Blocks are ordered by number only. */
  timestampMs?: number;
  baseFeePerGas: bigint;
  gasLimit: bigint;
};
