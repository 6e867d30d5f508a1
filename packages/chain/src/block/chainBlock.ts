import type { Hex } from "viem";

/** A block that reads are pinned to. Times are unix seconds, fees wei per gas. */
export type ChainBlock = {
  number: bigint;
  hash: Hex;
  timestamp: bigint;
  /** Unix milliseconds, where the node shows them: several blocks may have one `timestamp`. They order nothing; numbers do. */
  timestampMs?: number;
  baseFeePerGas: bigint;
  gasLimit: bigint;
};
