/** Waits for `work` no longer than `deadlineMs` milliseconds. @throws Error when it takes longer, and what `work` rejects with */
export async function withinDeadline<T>(deadlineMs: number, work: Promise<T>): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`no answer within ${deadlineMs} ms`)), deadlineMs);
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
