/** The smaller of two integers: Math.min takes no bigint. */
export function lesser(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** The larger of two integers. */
export function greater(a: bigint, b: bigint): bigint {
  if (a < b) return b;
  return a;
}
