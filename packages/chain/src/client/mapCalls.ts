/** The most calls of one read that wait or are under way at a time: more than a node answers at once, and a tenth of all that may wait for it. */
const MOST_AT_ONCE = 1_000;

/**
 * The results of `call` for each of `items`, in their order. A read of many thousand items makes some calls at a time, so that it does not
 * fill a node's queue alone. Rejects with the first error; `call` is not called for items that have not begun by then.
 *
 * @param atOnce calls under way at a time: fewer where large answers would fill the memory
 */
export async function mapCalls<T, R>(
  items: readonly T[],
  call: (item: T, position: number) => Promise<R>,
  atOnce: number = MOST_AT_ONCE,
): Promise<R[]> {
  const results: R[] = [];
  const waiting = items.entries();
  let hasFailed = false;
  const lane = async () => {
    for (const [position, item] of waiting) {
      if (hasFailed) return;
      try {
        results[position] = await call(item, position);
      } catch (error) {
        hasFailed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(items.length, atOnce) }, lane));
  return results;
}
