import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Value } from "@sinclair/typebox/value";

const DEADLINE_MS = 60_000;
/** Long enough that the wait does not use up the limits of the user's own address. */
const POLL_MS = 500;

/**
 * Polls the API until it serves the plan.
 *
 * @throws Error when it does not within a minute.
 */
export async function waitForPlan(apiUrl: string): Promise<RemitReadiness> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const response = await fetch(`${apiUrl}/remit/readiness`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    if (response.ok) return Value.Parse(RemitReadiness, await response.json());
    if (performance.now() > deadline)
      throw new Error(`the API does not serve the plan within a minute: it answers ${response.status}`);
    await Bun.sleep(POLL_MS);
  }
}
