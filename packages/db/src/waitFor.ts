const POLL_MS = 10;

/** Polls until the condition is true; returns false after the timeout. */
export async function waitFor(condition: () => boolean | Promise<boolean>, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!(await condition())) {
    if (performance.now() > deadline) return false;
    await Bun.sleep(POLL_MS);
  }
  return true;
}
