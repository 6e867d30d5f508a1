import { type Address, isAddress } from "viem";

/** Whether a node's value is an address, in any case. */
export function isAccount(value: unknown): value is Address {
  return typeof value === "string" && isAddress(value, { strict: false });
}
