/** Maps `items` in order with at most `inFlight` of them under way at a time. */
export async function inGroups<T, R>(
  items: readonly T[],
  inFlight: number,
  map: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += inFlight) {
    results.push(...(await Promise.all(items.slice(start, start + inFlight).map(map))));
  }
  return results;
}
