/**
 * Waits for `work`, at most `timeoutMs`: client libraries wait without limit while their store is unreachable.
 *
 * @throws Error naming `action` when the time is over. The work continues; its result or error is ignored.
 */
export async function within<T>(action: string, timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`${action} took longer than ${timeoutMs} ms`)), timeoutMs);
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
