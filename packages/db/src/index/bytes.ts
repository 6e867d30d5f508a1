import type { Hex } from "viem";

/** Hex as a parameter of a statement; bytea columns take it. */
export function toBytes(hex: Hex): Buffer {
  return Buffer.from(hex.slice(2), "hex");
}

/** A bytea column of an answer as hex. */
export function fromBytes(bytes: Uint8Array): Hex {
  return `0x${bytes.toHex()}`;
}
