import { createBlockJudge } from "./createBlockJudge";
import type { Endpoints } from "./createEndpoints";
import { fitsMethod } from "./fitsMethod";
import { parseQuantity } from "./parseQuantity";
import { isRecord, parseRpcAnswer, parseRpcError } from "./parseRpcAnswer";
import type { RpcCall, RpcFailure, RpcOutcome } from "./rpcOutcome";

/** `request` of an EIP-1193 provider, or of any viem client. */
export type ProviderRequest = (call: RpcCall) => Promise<unknown>;

export type ProviderEndpointsOptions = {
  chainId: number;
  request: ProviderRequest;
  /** Milliseconds, from any start; never set back. Default: `performance.now`. */
  clock?: () => number;
};

/**
 * Endpoints over another client, for example a wallet's. The transport of that client decides about URLs, batches and retries. Here
 * each answer is checked like that of our own nodes: its form, its block and, before the first answer, the chain id.
 */
export function createProviderEndpoints({ chainId, request, ...options }: ProviderEndpointsOptions): Endpoints {
  const clock = options.clock ?? (() => performance.now());
  const isPossible = createBlockJudge(undefined);
  let highest: bigint | null = null;
  let checked: Promise<RpcFailure | null> | null = null;

  async function ask(call: RpcCall, timeoutMs: number): Promise<RpcOutcome> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const late = new Promise<RpcOutcome>((resolve) => {
      timer = setTimeout(() => resolve({ failure: { kind: "timeout" } }), timeoutMs);
    });
    const answer = request(call).then(
      (result) => parseRpcAnswer(call, { result: result ?? null }),
      (error: unknown) => outcomeOfError(call, error),
    );
    const outcome = await Promise.race([answer, late]);
    clearTimeout(timer);
    if (!("result" in outcome)) return outcome;
    if (!fitsMethod(call, outcome.result)) return { failure: { kind: "malformed" } };
    if (!isPossible(call, outcome.result)) return { failure: { kind: "impossible_block" } };
    if (call.method === "eth_getBlockByNumber" && isRecord(outcome.result)) {
      const number = parseQuantity(outcome.result.number);
      if (number !== null && number > (highest ?? -1n)) highest = number;
    }
    return outcome;
  }

  async function checkChain(timeoutMs: number): Promise<RpcFailure | null> {
    const outcome = await ask({ method: "eth_chainId", params: [] }, timeoutMs);
    if ("failure" in outcome) return outcome.failure;
    if ("refusal" in outcome) return { kind: "node_error" };
    return Number(outcome.result) === chainId ? null : { kind: "wrong_chain" };
  }

  return {
    chainId,
    async send(call, { callTimeoutMs }) {
      checked ??= checkChain(callTimeoutMs);
      const failure = await checked;
      if (failure === null) return ask(call, callTimeoutMs);
      checked = null;
      return { failure };
    },
    facts: { capabilities: new Map(), tokens: new Map() },
    highestBlock: () => highest,
    noteHead({ number }) {
      if (number > (highest ?? -1n)) highest = number;
    },
    // Only the client's own transport knows what it sends to a node, and in which batches.
    usage: () => [],
    states: () => [{ index: 0, callsPerSecond: null, batchSize: 1, isResting: false }],
    clock,
  };
}

/** viem wraps the node's error in its own errors: the innermost with a code is the node's. */
function outcomeOfError(call: RpcCall, error: unknown): RpcOutcome {
  const chain = causesOf(error);
  const answer = chain.findLast(({ code }) => typeof code === "number");
  if (answer !== undefined) {
    // viem keeps the node's own message in `details`; `message` is viem's text for people.
    const message = answer.details ?? answer.message;
    const data = chain.findLast(({ data }) => data !== undefined)?.data;
    return parseRpcError(call, { code: answer.code, message, data });
  }
  if (chain.some(({ name }) => name === "TimeoutError")) return { failure: { kind: "timeout" } };
  const status = chain.find(({ status }) => typeof status === "number")?.status;
  if (typeof status === "number") return { failure: { kind: "http_status", httpStatus: status } };
  return { failure: { kind: "unreachable" } };
}

type ErrorFields = Partial<Record<"name" | "message" | "details" | "code" | "data" | "status" | "cause", unknown>>;

function causesOf(error: unknown): ErrorFields[] {
  const chain: ErrorFields[] = [];
  for (let each = error; typeof each === "object" && each !== null && !chain.includes(each); ) {
    const fields: ErrorFields = each;
    chain.push(fields);
    each = fields.cause;
  }
  return chain;
}
