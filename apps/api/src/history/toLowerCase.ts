import type { Hex } from "viem";

/** Hex of a checked input as sources keep it. */
export function toLowerCase(hex: string): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
