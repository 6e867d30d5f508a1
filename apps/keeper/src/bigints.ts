/** Math.min for bigint; 0 for an empty list. */
export function lowest(values: readonly bigint[]): bigint {
  let found = values[0] ?? 0n;
  for (const each of values) if (each < found) found = each;
  return found;
}

/** Math.max for bigint; 0 for an empty list. */
export function highest(values: readonly bigint[]): bigint {
  return -lowest(values.map((each) => -each));
}
