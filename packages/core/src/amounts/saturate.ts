/** A uint256 as a JSON number; an absurd one is cut to 2^53 - 1 (shapes, Conventions). */
export function saturate(value: bigint): number {
  return Number(value > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : value);
}
