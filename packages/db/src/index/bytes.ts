import type { Hex } from "viem";

/** Converts hex to a parameter for a bytea column. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

/** Converts a bytea column to hex. */
export function fromBytes(bytes: Uint8Array): Hex {
  return `0x${bytes.toHex()}`;
}
