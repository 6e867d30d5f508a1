const POLL_MS = 20;

/**
 * Asks until the condition holds.
 *
 * @throws Error naming what was waited for when it does not within the time.
 */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  timeoutMs = 30_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms in vain: ${what}`);
    await Bun.sleep(POLL_MS);
  }
}
