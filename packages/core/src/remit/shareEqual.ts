/** The most values that are kept: with more different ones, sharing gains nothing. */
const MOST_KEPT = 10_000;

/** Creates a function that returns the first of all equal values it was given, so that a million equal amounts are one in memory. */
export function shareEqual<T extends bigint | string>(): (value: T) => T {
  const kept = new Map<T, T>();
  return (value) => {
    const known = kept.get(value);
    if (known !== undefined) return known;
    if (kept.size < MOST_KEPT) kept.set(value, value);
    return value;
  };
}
