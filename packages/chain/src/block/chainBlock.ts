import type { Hex } from "viem";

/** A block that reads are pinned to. Times are unix seconds, fees wei per gas. */
export type ChainBlock = {
  number: bigint;
  hash: Hex;
  timestamp: bigint;
  baseFeePerGas: bigint;
  gasLimit: bigint;
};
