import { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";

const DEADLINE_MS = 60_000;
const POLL_MS = 25;
/** Long enough that the wait does not use up the limits of the user's own address. */
const LIMITED_POLL_MS = 500;

const Status = Type.Object({
  checks: Type.Object({ chains: Type.Array(Type.Object({ indexedBlock: Type.Union([Type.String(), Type.Null()]) })) }),
});

/**
 * Polls the API until it serves the plan.
 *
 * @throws Error when the API does not serve the plan within a minute
 */
export async function waitForPlan(apiUrl: string): Promise<RemitReadiness> {
  const deadline = performance.now() + DEADLINE_MS;
  for (;;) {
    // Requests to /status are not limited.
    const hasScanned = await ask(`${apiUrl}/status`).then(isScanned);
    const response = hasScanned ? await ask(`${apiUrl}/remit/readiness`) : null;
    if (response?.ok) return Value.Parse(RemitReadiness, await response.json());
    if (performance.now() > deadline) {
      const found = response === null ? "the worker has not scanned the chain" : `it answers ${response.status}`;
      throw new Error(`the API does not serve the plan within a minute: ${found}`);
    }
    await Bun.sleep(hasScanned ? LIMITED_POLL_MS : POLL_MS);
  }
}

function ask(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(DEADLINE_MS) });
}

async function isScanned(response: Response): Promise<boolean> {
  const { checks } = Value.Parse(Status, await response.json());
  return checks.chains.every(({ indexedBlock }) => indexedBlock !== null);
}
