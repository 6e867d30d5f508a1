import type { Endpoint } from "./createEndpoint";
import type { FailureKind, RpcCall, RpcFailure, RpcOutcome } from "./rpcOutcome";

/** How long a URL that failed is tried after all others. */
const RESTING_MS = 5_000;
const FIRST_PAUSE_MS = 150;
/** Longest pause between two tries, even where a node's Retry-After is longer. */
const LONGEST_PAUSE_MS = 2_000;
/** How often the whole list of URLs is tried. */
const ROUNDS = 3;

/** One JSON-RPC request as metrics see it. The URL is named by its place in the list, never by its text. */
export type RequestReport = {
  method: string;
  urlIndex: number;
  milliseconds: number;
  /** `refused`: the node answered with an error about the call itself, a revert for example. */
  outcome: "ok" | "refused" | FailureKind;
};

export type FailOverOptions = {
  requestTimeoutMs: number;
  callTimeoutMs: number;
  onRequest?: ((report: RequestReport) => void) | undefined;
};

/**
 * Sends calls to the first URL that can answer them. Calls that fail are sent to the next URL, with a pause after each round,
 * until all are answered, the rounds are over or the deadline has passed. Reverts and refusals are answers. Never throws.
 */
export function createFailOver(endpoints: readonly Endpoint[], options: FailOverOptions) {
  const restingUntil = new Map<Endpoint, number>();

  function inOrder(now: number): Endpoint[] {
    const resting = (endpoint: Endpoint) => (restingUntil.get(endpoint) ?? 0) > now;
    return [...endpoints.filter((each) => !resting(each)), ...endpoints.filter(resting)];
  }

  async function sendTo(endpoint: Endpoint, calls: readonly RpcCall[], timeoutMs: number): Promise<RpcOutcome[]> {
    const started = performance.now();
    const outcomes = await endpoint.send(calls, timeoutMs);
    const milliseconds = performance.now() - started;
    for (const [position, call] of calls.entries()) {
      const outcome = outcomes[position];
      options.onRequest?.({
        method: call.method,
        urlIndex: endpoint.index,
        milliseconds,
        outcome: outcomeName(outcome),
      });
    }
    if (outcomes.every(failsEndpoint)) restingUntil.set(endpoint, performance.now() + RESTING_MS);
    else restingUntil.delete(endpoint);
    return outcomes;
  }

  return async function send(calls: readonly RpcCall[]): Promise<RpcOutcome[]> {
    const deadline = performance.now() + options.callTimeoutMs;
    const settled: RpcOutcome[] = calls.map(() => ({ failure: { kind: "timeout" } }));
    let open = calls.map((call, position) => ({ call, position }));
    for (let round = 0; round < ROUNDS; round++) {
      for (const endpoint of inOrder(performance.now())) {
        const timeoutMs = Math.min(options.requestTimeoutMs, deadline - performance.now());
        if (timeoutMs <= 0) return settled;
        const outcomes = await sendTo(
          endpoint,
          open.map((each) => each.call),
          timeoutMs,
        );
        for (const [index, each] of open.entries()) {
          const outcome = outcomes[index];
          if (outcome !== undefined) settled[each.position] = outcome;
        }
        open = open.filter((each) => failureOf(settled[each.position]) !== null);
        if (open.length === 0) return settled;
      }
      open = open.filter(({ call, position }) => !isTooSlow(call, settled[position]));
      if (open.length === 0) return settled;
      const failures = open.map((each) => failureOf(settled[each.position]));
      const pauseMs = pauseAfter(round, failures);
      if (performance.now() + pauseMs >= deadline || round === ROUNDS - 1) return settled;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return settled;
  };
}

/** A simulation that took too long would do so again, and keep the node from other work meanwhile. */
function isTooSlow({ method }: RpcCall, outcome: RpcOutcome | undefined): boolean {
  return method === "eth_simulateV1" && failureOf(outcome)?.kind === "timeout";
}

function pauseAfter(round: number, failures: readonly (RpcFailure | null)[]): number {
  const asked = Math.max(0, ...failures.map((failure) => failure?.retryAfterMs ?? 0));
  return Math.min(Math.max(FIRST_PAUSE_MS * 2 ** round, asked), LONGEST_PAUSE_MS);
}

function failureOf(outcome: RpcOutcome | undefined): RpcFailure | null {
  return outcome !== undefined && "failure" in outcome ? outcome.failure : null;
}

/** A node that lacks a block, or fails on one call, may still be the best for the next call. */
function failsEndpoint(outcome: RpcOutcome): boolean {
  const kind = failureOf(outcome)?.kind;
  return kind !== undefined && kind !== "missing_block" && kind !== "null_result" && kind !== "node_error";
}

function outcomeName(outcome: RpcOutcome | undefined): RequestReport["outcome"] {
  if (outcome === undefined) return "malformed";
  if ("failure" in outcome) return outcome.failure.kind;
  return "refusal" in outcome ? "refused" : "ok";
}
