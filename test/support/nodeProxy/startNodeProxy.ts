import { isRecord } from "@dueday/chain/client/parseRpcAnswer";
import { asOnBase } from "./asOnBase";
import { type Answered, type Call, callAtHead, callWithTags } from "./callAtHead";
import { createBlockLog, type SeenBlock } from "./createBlockLog";
import type { NodeProfile } from "./nodeProfile";
import { refusedCall } from "./refusedCall";
import { simulateWithin } from "./simulateWithin";

/** A proxy in front of a node, with the limits and faults of a profile. */
export type NodeProxy = {
  url: string;
  wsUrl: string;
  /** Calls received by HTTP, refused ones included, by method; "eth_getLogs of events" where topics are given. `clear()` starts again. */
  calls: Map<string, number>;
  /** Methods of each HTTP request, in order. */
  exchanges: string[][];
  /** Calls since the start that were refused, for a limit or as a fault, or that the node itself answered with an error. */
  refused(): number;
  /** Sent over WebSockets since the start. */
  pushed(): { messages: number; bytes: number };
  /** Changes the profile from the next request on. */
  change(part: NodeProfile): void;
  stop(): Promise<void>;
};

type Json = Record<string, unknown>;
/** A call as it is received: without parameters where the method has none. */
type Asked = Omit<Call, "params"> & Partial<Call>;

const JSON_TYPE = { "Content-Type": "application/json" };
const WINDOW_MS = 1_000;

/** Forwards JSON-RPC over HTTP and WebSocket, as a node with this profile would answer. */
export function startNodeProxy(nodeUrl: string, initial: NodeProfile = {}): NodeProxy {
  let profile = initial;
  const random = randomFrom(7);
  const calls = new Map<string, number>();
  const exchanges: string[][] = [];
  const pushed = { messages: 0, bytes: 0 };
  let refused = 0;
  let answered: { at: number; calls: number }[] = [];
  const log = createBlockLog(async (method, params) => (await ask(method, params)).result);

  async function ask(method: string, params: unknown[]): Promise<Json> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params });
    const answer: unknown = await (await fetch(nodeUrl, { method: "POST", headers: JSON_TYPE, body })).json();
    if (!isRecord(answer)) throw new Error("the node sent no answer");
    return answer;
  }

  const watchesBlocks = () =>
    profile.logsDelayMs !== undefined ||
    profile.lagMs !== undefined ||
    profile.timestampMs === true ||
    profile.finality !== undefined;

  const isOlder = (block: SeenBlock | undefined, ms: number) =>
    block !== undefined && performance.now() - block.seenAt >= ms;

  async function answer(request: Request): Promise<Response> {
    const body: Asked | Asked[] = JSON.parse(await request.text());
    const isBatch = Array.isArray(body);
    const received = (isBatch ? body : [body]).map((call): Call => ({ params: [], ...call }));
    for (const call of received) calls.set(nameOf(call), (calls.get(nameOf(call)) ?? 0) + 1);
    const isBehind = exchanges.push(received.map(({ method }) => method)) % 2 === 0;
    await profile.hold;
    if (profile.latencyMs !== undefined) await Bun.sleep(profile.latencyMs);
    const failure = failedRequest() ?? (isBatch ? refusedBatch(received) : null) ?? refusedRequest(received);
    if (failure !== null) {
      refused += received.length;
      return failure;
    }
    if (watchesBlocks()) await log.observe();
    const answers = await Promise.all(received.map((call) => answerCall(call, isBehind)));
    // A block may have come since.
    if (profile.timestampMs === true) await log.observe();
    const shown = answers.map((each) => ({ ...each, result: asOnBase(each.result, profile, log) }));
    const limited = limitSize(shown, profile.answerSize ?? Number.POSITIVE_INFINITY);
    refused += limited.filter((each) => "error" in each).length;
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

  function refusedBatch(batch: readonly Call[]): Response | null {
    const { batchCap } = profile;
    if (batchCap === undefined || batch.length <= batchCap.calls) return null;
    const answerOf = (code: number, message: string, id: number | null = null) => ({
      jsonrpc: "2.0",
      id,
      error: { code, message },
    });
    const exceeded = answerOf(-32600, "batch limit exceeded");
    switch (batchCap.refusal) {
      case "http_413":
        return new Response("Payload Too Large", { status: 413 });
      case "http_500":
        return new Response("Internal Server Error", { status: 500 });
      case "http_500_drpc":
        return Response.json(
          answerOf(31, `Batch of more than ${batchCap.calls} requests are not allowed on free tier`),
          {
            status: 500,
          },
        );
      case "list_of_one":
        return Response.json([exceeded]);
      case "object":
        return Response.json(exceeded);
      case "each_-32014":
        return Response.json(batch.map(({ id }) => answerOf(-32014, `maximum ${batchCap.calls} calls in 1 batch`, id)));
    }
  }

  function refusedRequest(received: readonly Call[]): Response | null {
    const { callsPerSecond, without } = profile;
    if (without?.refusal === "http_403" && received.some(({ method }) => without.methods.includes(method))) {
      return new Response("Forbidden", { status: 403 });
    }
    if (callsPerSecond?.refusal === "http_429" && !mayAnswer(received.length)) return new Response("", { status: 429 });
    return null;
  }

  /** Counts the calls of the last second. */
  function mayAnswer(count: number): boolean {
    const now = performance.now();
    answered = answered.filter(({ at }) => now - at < WINDOW_MS);
    const used = answered.reduce((sum, each) => sum + each.calls, 0);
    if (used + count > (profile.callsPerSecond?.limit ?? Number.POSITIVE_INFINITY)) return false;
    answered.push({ at: now, calls: count });
    return true;
  }

  async function answerCall(call: Call, isBehind: boolean): Promise<Json> {
    const head = { jsonrpc: "2.0", id: call.id };
    if (profile.callsPerSecond?.refusal === "item_-32016" && !mayAnswer(1)) {
      return { ...head, error: { code: -32016, message: "over rate limit" } };
    }
    const refusal = await refusedCall(call, profile, async () => Number((await ask("eth_blockNumber", [])).result));
    if (refusal !== null) return { ...head, error: refusal };
    if (call.method === "eth_getBlockByNumber" && call.params[0] === "latest" && random() < (profile.nullHeads ?? 0)) {
      return { ...head, result: null };
    }
    const forwarded = asAsked(call, isBehind);
    if (!("method" in forwarded)) return { ...head, ...forwarded };
    const { method, params } = forwarded;
    const { simulation } = profile;
    const { result, error } =
      simulation !== undefined && method === "eth_simulateV1"
        ? await simulateWithin(ask, params, simulation)
        : await ask(method, params);
    if (error !== undefined) return { ...head, error };
    return withoutYoungLogs(call, { ...head, result });
  }

  function asAsked(call: Call, isBehind: boolean): Call | Answered {
    const { finality, lagMs } = profile;
    const tagged = finality === undefined ? call : callWithTags(call, log, finality);
    if (!("method" in tagged) || lagMs === undefined || !isBehind) return tagged;
    return callAtHead(tagged, log, log.latestOlderThan(lagMs));
  }

  function withoutYoungLogs({ method, params }: Call, answer: Json): Json {
    const { logsDelayMs, logsResults } = profile;
    if (method === "eth_getLogs" && Array.isArray(answer.result) && answer.result.length > (logsResults ?? Infinity)) {
      const [filter] = params;
      const range = isRecord(filter) ? `${Number(filter.fromBlock)}-${Number(filter.toBlock)}` : "";
      const message = `query exceeds max results ${logsResults}, retry with the range ${range}`;
      return { jsonrpc: "2.0", id: answer.id, error: { code: -32602, message } };
    }
    if (logsDelayMs === undefined) return answer;
    const isOld = (entry: unknown) => isRecord(entry) && isOlder(log.at(Number(entry.blockNumber)), logsDelayMs);
    if (method === "eth_getLogs" && Array.isArray(answer.result)) {
      return { ...answer, result: answer.result.filter(isOld) };
    }
    const isYoungReceipt = method === "eth_getTransactionReceipt" && isRecord(answer.result) && !isOld(answer.result);
    return isYoungReceipt ? { ...answer, result: null } : answer;
  }

  /** What the node pushes, in its order. */
  async function show(text: string): Promise<string> {
    if (profile.saturatedBlooms !== true && profile.timestampMs !== true) return text;
    const message: unknown = JSON.parse(text);
    if (!isRecord(message) || !isRecord(message.params)) return text;
    if (profile.timestampMs === true) await log.observe();
    const params = { ...message.params, result: asOnBase(message.params.result, profile, log) };
    return JSON.stringify({ ...message, params });
  }

  const server = Bun.serve<{ node?: WebSocket; waiting: string[]; sending: Promise<void> }>({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 255,
    async fetch(request, self) {
      if (self.upgrade(request, { data: { waiting: [], sending: Promise.resolve() } })) return undefined;
      return answer(request);
    },
    error: () => new Response("the node does not answer", { status: 502 }),
    websocket: {
      open(socket) {
        const node = new WebSocket(nodeUrl.replace("http", "ws"));
        node.onopen = () => {
          for (const message of socket.data.waiting.splice(0)) node.send(message);
        };
        node.onmessage = ({ data }) => {
          socket.data.sending = socket.data.sending.then(async () => {
            const text = await show(String(data));
            pushed.messages++;
            pushed.bytes += text.length;
            socket.send(text);
          });
          // The node is gone.
          socket.data.sending.catch(() => socket.close());
        };
        node.onclose = () => socket.close();
        socket.data.node = node;
      },
      message(socket, message) {
        const { node, waiting } = socket.data;
        if (node?.readyState === WebSocket.OPEN) node.send(String(message));
        else waiting.push(String(message));
      },
      close: (socket) => socket.data.node?.close(),
    },
  });
  return {
    url: server.url.href,
    wsUrl: server.url.href.replace("http", "ws"),
    calls,
    exchanges,
    refused: () => refused,
    pushed: () => ({ ...pushed }),
    change(part) {
      profile = { ...profile, ...part };
    },
    stop: () => server.stop(true),
  };
}

function nameOf({ method, params }: Call): string {
  const [filter] = params;
  return isRecord(filter) && "topics" in filter ? `${method} of events` : method;
}

/** As geth does it: in a batch, the answers after the limit are errors. */
function limitSize(answers: readonly Json[], size: number): Json[] {
  if (size === Number.POSITIVE_INFINITY) return [...answers];
  let used = 0;
  return answers.map((answer) => {
    used += JSON.stringify(answer).length;
    if (used <= size) return answer;
    return { jsonrpc: "2.0", id: answer.id, error: { code: -32003, message: "response too large" } };
  });
}

/** The same numbers in each run. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
