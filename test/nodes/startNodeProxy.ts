import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import type { NodeProfile } from "./nodeProfile";

/** A proxy before a node, with the limits and faults of a profile. */
export type NodeProxy = {
  url: string;
  /** Calls that were received, refused ones included. */
  calls(): number;
  stop(): Promise<void>;
};

type Json = Record<string, unknown>;
type Call = { id: number; method: string; params: unknown[] };
type Block = { number: number; hash: string; seenAt: number };

const JSON_TYPE = { "Content-Type": "application/json" };
const WINDOW_MS = 1_000;
const AT_BLOCK: Record<string, number> = {
  eth_call: 1,
  eth_createAccessList: 1,
  eth_estimateGas: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getStorageAt: 2,
  eth_simulateV1: 1,
};

export function startNodeProxy(nodeUrl: string, profile: NodeProfile): NodeProxy {
  const random = randomFrom(7);
  const blocks: Block[] = [];
  let received = 0;
  let requests = 0;
  let answered: { at: number; calls: number }[] = [];

  async function ask(body: unknown): Promise<unknown> {
    return (await fetch(nodeUrl, { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) })).json();
  }

  async function askOne(method: string, params: unknown[]): Promise<unknown> {
    const answer = await ask({ jsonrpc: "2.0", id: 1, method, params });
    return isRecord(answer) ? answer.result : undefined;
  }

  /** Notes when each block was seen first. Those that exist at the start are old. */
  async function observe(): Promise<void> {
    const head = Number(await askOne("eth_blockNumber", []));
    const isStart = blocks.length === 0;
    for (let number = blocks.length; number <= head; number++) {
      const header = await askOne("eth_getBlockByNumber", [hex(number), false]);
      const seenAt = isStart ? Number.NEGATIVE_INFINITY : performance.now();
      if (isRecord(header) && blocks[number] === undefined) {
        blocks[number] = { number, hash: String(header.hash), seenAt };
      }
    }
  }

  const isOlder = (block: Block | undefined, ms: number) =>
    block !== undefined && performance.now() - block.seenAt >= ms;

  async function answer(request: Request): Promise<Response> {
    const body: Call | Call[] = JSON.parse(await request.text());
    const isBatch = Array.isArray(body);
    const calls = isBatch ? body : [body];
    received += calls.length;
    const isBehind = requests++ % 2 === 1;
    if (profile.latencyMs !== undefined) await Bun.sleep(profile.latencyMs);
    const failure = failedRequest() ?? refusedBatch(isBatch ? calls.length : 0) ?? refusedRequest(calls);
    if (failure !== null) return failure;
    if (profile.logsDelayMs !== undefined || profile.lagMs !== undefined) await observe();
    const answers = await Promise.all(calls.map((call) => answerCall(call, isBehind)));
    const size = profile.answerSize ?? Number.POSITIVE_INFINITY;
    const limited = limitSize(answers, size);
    return Response.json(isBatch ? limited : limited[0]);
  }

  function failedRequest(): Response | null {
    if (random() >= (profile.failures ?? 0)) return null;
    const forms = [
      () => new Response("Bad Gateway", { status: 502 }),
      () => new Response("<html>busy</html>", { headers: { "Content-Type": "text/html" } }),
      () => new Response('[{"jsonrpc":"2.0","id":1,"resu', { headers: JSON_TYPE }),
      () => Response.json({ jsonrpc: "2.0", id: null, error: { code: -32603, message: "internal error" } }),
    ];
    return forms[Math.floor(random() * forms.length)]?.() ?? null;
  }

  function refusedBatch(calls: number): Response | null {
    const { batchCap } = profile;
    if (batchCap === undefined || calls <= batchCap.calls) return null;
    const error = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batch limit exceeded" } };
    if (batchCap.refusal === "http_413") return new Response("Payload Too Large", { status: 413 });
    if (batchCap.refusal === "http_500") return new Response("Internal Server Error", { status: 500 });
    return Response.json(batchCap.refusal === "object" ? error : [error]);
  }

  function refusedRequest(calls: readonly Call[]): Response | null {
    const { callsPerSecond, without } = profile;
    if (without?.refusal === "http_403" && calls.some(({ method }) => without.methods.includes(method))) {
      return new Response("Forbidden", { status: 403 });
    }
    if (callsPerSecond?.refusal === "http_429" && !mayAnswer(calls.length)) return new Response("", { status: 429 });
    return null;
  }

  /** Counts the calls of the last second. */
  function mayAnswer(calls: number): boolean {
    const now = performance.now();
    answered = answered.filter(({ at }) => now - at < WINDOW_MS);
    const used = answered.reduce((sum, each) => sum + each.calls, 0);
    if (used + calls > (profile.callsPerSecond?.limit ?? Number.POSITIVE_INFINITY)) return false;
    answered.push({ at: now, calls });
    return true;
  }

  async function answerCall(call: Call, isBehind: boolean): Promise<Json> {
    const refusal = refusedCall(call);
    if (refusal !== null) return { jsonrpc: "2.0", id: call.id, error: refusal };
    if (call.method === "eth_getBlockByNumber" && call.params[0] === "latest" && random() < (profile.nullHeads ?? 0)) {
      return { jsonrpc: "2.0", id: call.id, result: null };
    }
    const { lagMs } = profile;
    const forwarded = lagMs !== undefined && isBehind ? atHead(call, lagMs) : call;
    if ("error" in forwarded || "result" in forwarded) return { jsonrpc: "2.0", id: call.id, ...forwarded };
    const answer = await ask(forwarded);
    if (!isRecord(answer)) throw new Error("the node sent no answer");
    return withoutYoungLogs(call, answer);
  }

  function refusedCall({ method, params }: Call): Json | null {
    const { callsPerSecond, without, gasCap, logsRange } = profile;
    if (callsPerSecond?.refusal === "item_-32016" && !mayAnswer(1)) return { code: -32016, message: "over rate limit" };
    if (without?.methods.includes(method)) {
      return without.refusal === "-32601"
        ? { code: -32601, message: `the method ${method} does not exist/is not available` }
        : { code: -32600, message: "Method is not allowed on this plan" };
    }
    if (gasCap !== undefined && gasOf(method, params).some((gas) => gas > gasCap)) {
      return { code: -32000, message: `transaction gas limit too high (cap: ${gasCap})` };
    }
    const filter = params[0];
    if (logsRange === undefined || method !== "eth_getLogs" || !isRecord(filter)) return null;
    const blocksAsked = Number(filter.toBlock) - Number(filter.fromBlock) + 1;
    return blocksAsked > logsRange ? { code: -32005, message: `block range is too wide, ${logsRange} at most` } : null;
  }

  /** The call as a node that is behind answers it. */
  function atHead(call: Call, lagMs: number): Call | Json {
    const { method, params } = call;
    const head = blocks.findLastIndex((block) => isOlder(block, lagMs));
    const numberOf = (named: unknown): number | null => {
      if (isRecord(named)) return numberOf(named.blockHash ?? named.blockNumber);
      if (named === undefined || named === "latest" || named === "pending") return head;
      if (typeof named !== "string" || !named.startsWith("0x")) return null;
      return named.length === 66 ? (blocks.find(({ hash }) => hash === named)?.number ?? null) : Number(named);
    };
    if (method === "eth_blockNumber") return { result: hex(head) };
    if (method === "eth_getBlockByNumber" || method === "eth_getBlockByHash") {
      const number = numberOf(params[0]);
      if (number !== null && number > head) return { result: null };
      return params[0] === "latest" ? { ...call, params: [hex(head), ...params.slice(1)] } : call;
    }
    if (method === "eth_getLogs" && isRecord(params[0])) {
      const [filter] = params;
      if (filter.blockHash !== undefined) {
        return (numberOf(filter.blockHash) ?? 0) > head ? { error: { code: -32000, message: "unknown block" } } : call;
      }
      if (Number(filter.fromBlock) > head) return { result: [] };
      const toBlock = hex(Math.min(head, numberOf(filter.toBlock) ?? head));
      return { ...call, params: [{ ...filter, toBlock }] };
    }
    const place = AT_BLOCK[method];
    if (place === undefined) return call;
    const number = numberOf(params[place]);
    if (number !== null && number > head) return { error: { code: -32000, message: "header not found" } };
    const isLatest = params[place] === undefined || params[place] === "latest";
    return isLatest ? { ...call, params: params.toSpliced(place, 1, hex(head)) } : call;
  }

  function withoutYoungLogs({ method }: Call, answer: Json): Json {
    const { logsDelayMs } = profile;
    if (logsDelayMs === undefined) return answer;
    const isOld = (entry: unknown) => isRecord(entry) && isOlder(blocks[Number(entry.blockNumber)], logsDelayMs);
    if (method === "eth_getLogs" && Array.isArray(answer.result)) {
      return { ...answer, result: answer.result.filter(isOld) };
    }
    const isYoungReceipt = method === "eth_getTransactionReceipt" && isRecord(answer.result) && !isOld(answer.result);
    return isYoungReceipt ? { ...answer, result: null } : answer;
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 255,
    fetch: answer,
    error: () => new Response("the node does not answer", { status: 502 }),
  });
  return { url: server.url.href, calls: () => received, stop: () => server.stop(true) };
}

/** As geth does it: in a batch, the answers after the limit are errors. */
function limitSize(answers: readonly Json[], size: number): Json[] {
  let used = 0;
  return answers.map((answer) => {
    used += JSON.stringify(answer).length;
    if (used <= size) return answer;
    return { jsonrpc: "2.0", id: answer.id, error: { code: -32003, message: "response too large" } };
  });
}

/** The gas limits that a call names. */
function gasOf(method: string, params: readonly unknown[]): number[] {
  const [first] = params;
  if (!isRecord(first)) return [];
  if (method === "eth_call" || method === "eth_estimateGas") return first.gas === undefined ? [] : [Number(first.gas)];
  if (method !== "eth_simulateV1" || !Array.isArray(first.blockStateCalls)) return [];
  return first.blockStateCalls
    .flatMap((block: unknown) => (isRecord(block) && Array.isArray(block.calls) ? block.calls : []))
    .flatMap((call: unknown) => (isRecord(call) && call.gas !== undefined ? [Number(call.gas)] : []));
}

function hex(number: number): string {
  return `0x${number.toString(16)}`;
}

/** The same numbers in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
