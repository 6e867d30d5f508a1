/** Values that are kept at most: more different ones than that gain nothing from being shared. */
const MOST_KEPT = 10_000;

/** Returns the value that was given first of all equal ones, so that a million equal amounts are one in memory. */
export function shareEqual<T extends bigint | string>(): (value: T) => T {
  const kept = new Map<T, T>();
  return (value) => {
    const known = kept.get(value);
    if (known !== undefined) return known;
    if (kept.size < MOST_KEPT) kept.set(value, value);
    return value;
  };
}
