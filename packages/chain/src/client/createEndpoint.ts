import { type ClockBound, createBlockJudge } from "../block/createBlockJudge";
import { isRecord, parseRpcAnswer } from "./parseRpcAnswer";
import { type PostTarget, postJson } from "./postJson";
import type { RpcCall, RpcFailure, RpcOutcome } from "./rpcOutcome";

const CHAIN_ID_CALL: RpcCall = { method: "eth_chainId", params: [] };
const SINGLES_IN_FLIGHT = 8;

/** One RPC URL, with what is known about the node behind it. */
export type Endpoint = {
  /** Place in the list of URLs. */
  readonly index: number;
  /** Sends calls in one exchange where the node takes batches; one outcome for each, in order. Never throws. */
  send(calls: readonly RpcCall[], timeoutMs: number): Promise<RpcOutcome[]>;
};

export type EndpointOptions = {
  chainId: number;
  /** Longest answer that is read. */
  maxBytes: number;
  /** No bound by default: a development chain travels in time. */
  clockBound?: ClockBound | undefined;
};

/**
 * The node's chain id is checked before its answers are used: with the first request, after each failure, and with each head,
 * since later reads are pinned to one. A URL may lead to another node from one request to the next. Blocks are checked here, so that
 * an impossible one is a failure of this node, and the next is tried.
 */
export function createEndpoint(url: string, index: number, options: EndpointOptions): Endpoint {
  const { chainId, maxBytes, clockBound } = options;
  const isPossible = createBlockJudge(clockBound);
  const target = postTarget(url);
  let onRightChain = false;
  let takesBatches = true;

  async function sendOne(call: RpcCall, timeoutMs: number): Promise<RpcOutcome> {
    if (timeoutMs <= 0) return { failure: { kind: "timeout" } };
    const exchange = await postJson(target, JSON.stringify(envelope(call, 1)), { timeoutMs, maxBytes });
    return "failure" in exchange ? exchange : parseAnswer(call, exchange.json);
  }

  function parseAnswer(call: RpcCall, answer: unknown): RpcOutcome {
    const outcome = parseRpcAnswer(call, answer);
    if (!("result" in outcome) || isPossible(call, outcome.result)) return outcome;
    return { failure: { kind: "impossible_block" } };
  }

  async function sendBatch(calls: readonly RpcCall[], timeoutMs: number): Promise<RpcOutcome[] | "refused"> {
    const body = JSON.stringify(calls.map((call, position) => envelope(call, position + 1)));
    const exchange = await postJson(target, body, { timeoutMs, maxBytes });
    if ("failure" in exchange) {
      const status = exchange.failure.httpStatus ?? 500;
      if (status !== 429 && status < 500) return "refused";
      return calls.map(() => exchange);
    }
    if (!Array.isArray(exchange.json)) return "refused";
    const answers = new Map<unknown, unknown>();
    for (const answer of exchange.json) if (isRecord(answer)) answers.set(answer.id, answer);
    return calls.map((call, position) => parseAnswer(call, answers.get(position + 1)));
  }

  async function sendAll(calls: readonly RpcCall[], timeoutMs: number): Promise<RpcOutcome[]> {
    const deadline = performance.now() + timeoutMs;
    if (takesBatches && calls.length > 1) {
      const outcomes = await sendBatch(calls, timeoutMs);
      if (outcomes !== "refused") return outcomes;
      takesBatches = false;
    }
    return inGroups(calls, SINGLES_IN_FLIGHT, (call) => sendOne(call, deadline - performance.now()));
  }

  return {
    index,
    async send(calls, timeoutMs) {
      if (onRightChain && !calls.some(asksForHead)) {
        const outcomes = await sendAll(calls, timeoutMs);
        onRightChain = !outcomes.some((outcome) => "failure" in outcome);
        return outcomes;
      }
      const [chain, ...outcomes] = await sendAll([CHAIN_ID_CALL, ...calls], timeoutMs);
      const failure = chainFailure(chain, chainId);
      onRightChain = failure === null && !outcomes.some((outcome) => "failure" in outcome);
      return failure === null ? outcomes : calls.map(() => ({ failure }));
    },
  };
}

function asksForHead({ method, params }: RpcCall): boolean {
  return method === "eth_getBlockByNumber" && Array.isArray(params) && params[0] === "latest";
}

function chainFailure(outcome: RpcOutcome | undefined, chainId: number): RpcFailure | null {
  if (outcome !== undefined && "failure" in outcome) return outcome.failure;
  if (outcome === undefined || "refusal" in outcome) return { kind: "node_error" };
  return Number(outcome.result) === chainId ? null : { kind: "wrong_chain" };
}

function envelope(call: RpcCall, id: number) {
  return { jsonrpc: "2.0", id, method: call.method, params: call.params };
}

/** fetch refuses credentials inside a URL; as a header they work. */
function postTarget(text: string): PostTarget {
  const url = new URL(text);
  if (url.username === "" && url.password === "") return { url: url.href, headers: {} };
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  url.username = "";
  url.password = "";
  return { url: url.href, headers: { authorization: `Basic ${btoa(credentials)}` } };
}

/** Maps `items` in order with at most `inFlight` of them under way at a time. */
async function inGroups<T, R>(items: readonly T[], inFlight: number, map: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += inFlight) {
    results.push(...(await Promise.all(items.slice(start, start + inFlight).map(map))));
  }
  return results;
}
