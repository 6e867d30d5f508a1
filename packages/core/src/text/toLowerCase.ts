import type { Hex } from "viem";

/** Converts checked hex to lower case, the form of ids in answers and of all hex in the event index. */
export function toLowerCase(hex: string): Hex {
  return `0x${hex.slice(2).toLowerCase()}`;
}
