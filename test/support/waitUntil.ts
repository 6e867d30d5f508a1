const POLL_MS = 20;

/**
 * Polls until the condition holds.
 *
 * @throws Error naming the condition when it does not hold in time.
 */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 90_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not within ${timeoutMs} ms: ${what}`);
    await Bun.sleep(POLL_MS);
  }
}
