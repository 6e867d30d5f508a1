/**
 * Waits for `work`, at most `timeoutMs`: client libraries wait without limit while their store is unreachable.
 *
 * @param late makes the error that is thrown when the time is over; by default one that names `action`
 * @throws what `late` makes. The work continues; its result or error is ignored.
 */
export async function within<T>(
  action: string,
  timeoutMs: number,
  work: PromiseLike<T>,
  late = () => new Error(`${action} took longer than ${timeoutMs} ms`),
): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(late()), timeoutMs);
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
