import { computeUnits } from "./computeUnits";
import { type Attempt, asksForHead, type Endpoint } from "./createEndpoint";
import { createKnownHeads, type KnownHeads, LONGEST_LAG_MS } from "./createKnownHeads";
import { isMissingFeature } from "./missingMethod";
import { parseQuantity } from "./parseQuantity";
import { isRecord } from "./parseRpcAnswer";
import type { FailureKind, RpcCall, RpcFailure, RpcOutcome } from "./rpcOutcome";
import { priorities, type RpcPurpose } from "./rpcPurpose";

const FIRST_PAUSE_MS = 75;
/** Longest pause between two tries, even where a node's Retry-After is longer. */
const LONGEST_PAUSE_MS = 2_000;
/** Longest pause for a block that the node does not have yet: it arrives within moments. */
const LONGEST_LAG_PAUSE_MS = 400;
/** How often all URLs are tried for one call, by the kind of the last failure. */
const ROUNDS: Partial<Record<FailureKind, number>> = {
  rate_limited: 6,
  // Failures that pass in a moment.
  http_status: 5,
  malformed: 5,
  null_result: 5,
  node_error: 5,
};
const USUAL_ROUNDS = 3;
/** How many times a single endpoint is asked for its head, until that is not older than one that was seen. */
const HEAD_ROUNDS = 4;
/** An endpoint whose calls wait longer than this is tried after those that answer at once. */
const LONG_WAIT_MS = 250;

/** One JSON-RPC request as metrics see it. The URL is named by its place in the list, never by its text. */
export type RequestReport = {
  method: string;
  purpose: RpcPurpose;
  urlIndex: number;
  milliseconds: number;
  /** `refused`: the node answered with an error about the call itself, a revert for example. */
  outcome: "ok" | "refused" | FailureKind;
  /** The request's share of the bytes of its HTTP exchange, sent and received, without headers. */
  bytes: number;
  /** See `computeUnits`. */
  computeUnits: number;
};

export type CallOptions = {
  purpose: RpcPurpose;
  /** Deadline of one HTTP exchange. */
  requestTimeoutMs: number;
  /** Deadline of the call, including its time in the queue, all tries and all URLs. */
  callTimeoutMs: number;
  onRequest?: ((report: RequestReport) => void) | undefined;
};

/** Answers one call. Never throws. */
export type Send = (call: RpcCall, options: CallOptions) => Promise<RpcOutcome>;

export type FailOver = { send: Send; heads: KnownHeads };

export type FailOverOptions = {
  /** Milliseconds, from any start; never set back. */
  clock: () => number;
};

/**
 * Sends a call to the URL that can answer it best. A call that fails goes to the next URL, with a pause after each round, until it is
 * answered, the rounds are over or the deadline has passed. Reverts and refusals are answers; but a method that one node lacks is
 * requested from the next.
 *
 * A read that is pinned to a block goes first to an endpoint that is known to have the block. Where a head is older than one that was
 * seen before, the other endpoints are asked, or a single endpoint is asked again, and the highest head is returned.
 */
export function createFailOver(endpoints: readonly Endpoint[], { clock }: FailOverOptions): FailOver {
  const heads = createKnownHeads(clock);
  const headRounds = endpoints.length > 1 ? 1 : HEAD_ROUNDS;

  function inOrder(call: RpcCall): Endpoint[] {
    const pinned = heads.pinnedBlock(call);
    const rank = (endpoint: Endpoint) => [
      endpoint.lacks(call) ? 1 : 0,
      endpoint.isResting() ? 1 : 0,
      pinned !== null && !heads.has(endpoint.index, pinned) ? 1 : 0,
      Math.floor(endpoint.waitMs() / LONG_WAIT_MS),
    ];
    return endpoints.toSorted((a, b) => {
      const [ofA, ofB] = [rank(a), rank(b)];
      const difference = ofA.findIndex((value, index) => value !== ofB[index]);
      return difference === -1 ? a.index - b.index : (ofA[difference] ?? 0) - (ofB[difference] ?? 0);
    });
  }

  /** Whether this outcome ends the call. */
  function isSettled(call: RpcCall, outcome: RpcOutcome): boolean {
    if ("failure" in outcome) return false;
    if ("refusal" in outcome) return endpoints.length === 1 || !isMissingFeature(call, outcome.refusal);
    return !asksForHead(call) || !heads.isOld(numberOf(outcome.result) ?? -1n);
  }

  /** Whether the block that a node lacks is the head, or not above a head that was seen before: then the node probably lags. */
  function isLag(call: RpcCall): boolean {
    const highest = heads.highest();
    if (asksForHead(call)) return true;
    const pinned = heads.pinnedBlock(call);
    return highest !== null && pinned !== null && pinned <= highest;
  }

  function hasEnded(call: RpcCall, failure: RpcFailure, round: number, elapsedMs: number): boolean {
    // A simulation that took too long would do so again, and keep the node from other work meanwhile.
    if (failure.kind === "timeout" && call.method === "eth_simulateV1") return true;
    if (failure.kind === "missing_block" && isLag(call)) return elapsedMs > LONGEST_LAG_MS;
    return round >= (ROUNDS[failure.kind] ?? USUAL_ROUNDS);
  }

  async function send(call: RpcCall, options: CallOptions): Promise<RpcOutcome> {
    const { purpose, requestTimeoutMs, callTimeoutMs, onRequest } = options;
    const start = clock();
    const deadline = start + callTimeoutMs;
    const onAttempt = (endpoint: Endpoint) => (attempt: Attempt) => onRequest?.(report(endpoint, purpose, attempt));
    let best: RpcOutcome = { failure: { kind: "timeout" } };
    for (let round = 1; ; round++) {
      let failure: RpcFailure | null = null;
      for (const endpoint of inOrder(call)) {
        if (clock() >= deadline) return best;
        const outcome = await endpoint.send(call, {
          priority: priorities[purpose],
          deadline,
          requestTimeoutMs,
          onAttempt: onAttempt(endpoint),
        });
        if ("result" in outcome) heads.note(endpoint.index, call, outcome.result);
        if (isSettled(call, outcome)) return outcome;
        if ("failure" in outcome) failure = outcome.failure;
        best = better(best, outcome);
      }
      // A node that has failed for a moment may have the method that another lacks.
      if ("refusal" in best && (failure === null || !(failure.kind in ROUNDS))) return best;
      const last = "result" in best ? null : failure;
      if (last === null ? round >= headRounds : hasEnded(call, last, round, clock() - start)) return best;
      const pauseMs = last === null ? FIRST_PAUSE_MS : pauseAfter(round, last);
      if (clock() + pauseMs >= deadline) return best;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }

  return { send, heads };
}

/** The outcome to keep: an answer rather than a failure, the higher of two heads, else the later outcome. */
function better(before: RpcOutcome, after: RpcOutcome): RpcOutcome {
  if ("result" in before) {
    return "result" in after && (numberOf(after.result) ?? -1n) > (numberOf(before.result) ?? -1n) ? after : before;
  }
  // A failure after a refusal, such as a deadline that passes in the next URL's queue, shows nothing about the call.
  return "refusal" in before && "failure" in after ? before : after;
}

function numberOf(block: unknown): bigint | null {
  return isRecord(block) ? parseQuantity(block.number) : null;
}

function pauseAfter(round: number, { kind, retryAfterMs = 0 }: RpcFailure): number {
  // The endpoint waits before it sends such a call again.
  if (kind === "rate_limited") return 0;
  const longestMs = kind === "missing_block" ? LONGEST_LAG_PAUSE_MS : LONGEST_PAUSE_MS;
  return Math.min(Math.max(FIRST_PAUSE_MS * 2 ** (round - 1), retryAfterMs), longestMs);
}

function report(endpoint: Endpoint, purpose: RpcPurpose, attempt: Attempt): RequestReport {
  const { call, outcome, milliseconds, bytes } = attempt;
  return {
    method: call.method,
    purpose,
    urlIndex: endpoint.index,
    milliseconds,
    bytes,
    outcome: "failure" in outcome ? outcome.failure.kind : "refusal" in outcome ? "refused" : "ok",
    computeUnits: computeUnits(call.method),
  };
}
