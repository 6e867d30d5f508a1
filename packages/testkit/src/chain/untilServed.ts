import type { Dueday } from "@dueday/sdk";

/**
 * Milliseconds between two requests: each pause is longer than the one before, up to the longest, so that a slow machine does not reach the
 * service's limits.
 */
const FIRST_PAUSE_MS = 20;
const LONGEST_PAUSE_MS = 250;
const PAUSE_GROWTH = 1.2;
/** Much longer than a busy machine takes. */
const DEADLINE_MS = 60_000;

/**
 * Waits until plan, due lists and event index of the service are of this block or a later one.
 *
 * @throws Error with the reason that the service reports, if that takes more than a minute
 */
export async function untilServed(dueday: Dueday, block: bigint): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  const isReached = (number: string | undefined | null) => number != null && BigInt(number) >= block;
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * PAUSE_GROWTH)) {
    const { checks } = await dueday.getStatus();
    const [chain] = checks.chains;
    if (isReached(chain?.indexedBlock) && isReached(chain?.eventIndex?.indexedBlock)) {
      const [{ asOf: plan }, { asOf: due }] = await Promise.all([
        dueday.getRemitReadiness(),
        dueday.getSubscriptionsDue(),
      ]);
      if (isReached(plan.blockNumber) && isReached(due.blockNumber)) return;
    }
    if (performance.now() > deadline) {
      const reason = chain?.reason ?? `its newest scan is of block ${chain?.indexedBlock}`;
      throw new Error(`the service does not serve block ${block} within ${DEADLINE_MS / 1000} s: ${reason}`);
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
