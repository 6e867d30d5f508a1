import type { Hex } from "viem";

/** Hex of a checked input in lower case, as the contract, the index and every answer have it. */
export function toLowerCase(hex: string): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
