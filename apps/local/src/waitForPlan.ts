import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Value } from "@sinclair/typebox/value";

const DEADLINE_MS = 60_000;
/** Far enough apart that the wait does not use up the user's own requests. */
const POLL_MS = 500;

/**
 * Asks the API until it serves the plan, as a user would.
 *
 * @throws Error when it does not within a minute.
 */
export async function waitForPlan(apiUrl: string): Promise<RemitReadiness> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    const response = await fetch(`${apiUrl}/remit/readiness`, { signal: AbortSignal.timeout(DEADLINE_MS) });
    if (response.ok) return Value.Parse(RemitReadiness, await response.json());
    if (performance.now() > deadline) throw new Error(`the plan is not served: the API answers ${response.status}`);
    await Bun.sleep(POLL_MS);
  }
}
