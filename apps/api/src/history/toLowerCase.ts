import type { Hex } from "viem";

/** Hex of a checked input in lower case, as sources store it. */
export function toLowerCase(hex: string): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
