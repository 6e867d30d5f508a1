/**
 * Waits for `work`, but no longer than `timeoutMs`: with their store away, libraries wait for ever.
 *
 * @throws Error naming `action`. The work goes on unobserved; what it ends with is dropped.
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
