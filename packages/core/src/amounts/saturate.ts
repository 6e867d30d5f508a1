/** A uint256 as a JSON number; a larger one than 2^53 - 1 becomes 2^53 - 1. */
export function saturate(value: bigint): number {
  return Number(value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : value);
}
