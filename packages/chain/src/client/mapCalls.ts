/** Calls of one read that wait or are under way at a time: more than one node answers at once, and a tenth of what may wait for it. */
const MOST_AT_ONCE = 1_000;

/**
 * The results of `call` for each of `items`, in their order. A read of many thousand items takes its turns, so that it fills no queue of
 * a node alone. Rejects with the first error; what has not begun by then is not called.
 *
 * @param atOnce calls under way at a time: fewer where their answers fill the memory
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
