import { isRecord } from "@dueday/chain/client/parseRpcAnswer";

/** What a node does to those who ask it. */
export type NodeMood =
  | "well"
  | "slow"
  | "hangs"
  | "throttles"
  | "html"
  | "null"
  | "stale"
  | "other_chain"
  | "milliseconds"
  | "past"
  | "future"
  | "huge";

export type FaultyNode = {
  /** The node's URL for one process of the service. */
  urlFor(client: string): string;
  mood(mood: NodeMood): Promise<void>;
  /** Refuses connections, and takes them again. */
  down(): Promise<void>;
  up(): void;
  /** Never answers the next request for `method` by one of these clients; resolves with the client of that request. */
  hold(method: string, clients: readonly string[]): Promise<string>;
  stop(): Promise<void>;
};

type RpcCall = { id: number; method: string; params: unknown[] };
type Json = Record<string, unknown>;

const SLOW_MS = 250;
const YEAR_SECONDS = 365 * 86_400;
/** What a node in this mood makes of the seconds of a block. */
const SPOILED_TIME: Partial<Record<NodeMood, (seconds: number) => number>> = {
  milliseconds: (seconds) => seconds * 1000,
  past: (seconds) => seconds - 10 * YEAR_SECONDS,
  future: (seconds) => seconds + 10 * YEAR_SECONDS,
};
/** An answer that goes on for as long as it is read. */
const endless = () =>
  new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(2 ** 20).fill(0x20)) });
const JSON_TYPE = { "Content-Type": "application/json" };
const never = new Promise<Response>(() => {});

/** Stands before two nodes: the one of the chain, and one of another chain with a contract at the same address. */
export function startFaultyNode(nodeUrl: string, otherUrl: string): FaultyNode {
  let mood: NodeMood = "well";
  let staleHead: unknown = null;
  let held: { method: string; clients: readonly string[]; caught: (client: string) => void } | null = null;
  let server = serve(0);
  const { port } = server;

  function serve(onPort: number) {
    return Bun.serve({ port: onPort, hostname: "127.0.0.1", idleTimeout: 255, fetch: answer });
  }

  async function answer(request: Request): Promise<Response> {
    const body = await request.text();
    const parsed: RpcCall | RpcCall[] = JSON.parse(body);
    const calls = Array.isArray(parsed) ? parsed : [parsed];
    const client = new URL(request.url).pathname.slice(1);
    const wanted = held;
    if (wanted?.clients.includes(client) && calls.some(({ method }) => method === wanted.method)) {
      held = null;
      wanted.caught(client);
      return never;
    }
    if (mood === "hangs") return never;
    if (mood === "slow") await Bun.sleep(SLOW_MS);
    if (mood === "throttles") return new Response("slow down", { status: 429, headers: { "Retry-After": "3600" } });
    if (mood === "html") return new Response("<h1>Welcome</h1>", { headers: { "Content-Type": "text/html" } });
    if (mood === "huge") return new Response(endless(), { headers: JSON_TYPE });
    const target = mood === "other_chain" ? otherUrl : nodeUrl;
    const response = await fetch(target, { method: "POST", body, headers: JSON_TYPE });
    const json: Json | Json[] = JSON.parse(await response.text());
    const spoil = (each: Json) =>
      spoiled(
        each,
        calls.find(({ id }) => id === each.id),
      );
    return Response.json(Array.isArray(json) ? json.map(spoil) : spoil(json));
  }

  function spoiled(each: Json, call: RpcCall | undefined): Json {
    if (mood === "null") return { ...each, result: null };
    if (mood === "other_chain" && call?.method === "eth_chainId") return { ...each, result: "0x1" };
    const spoilTime = SPOILED_TIME[mood];
    if (spoilTime !== undefined && call?.method.startsWith("eth_getBlockBy") && isRecord(each.result)) {
      const timestamp = `0x${spoilTime(Number(each.result.timestamp)).toString(16)}`;
      return { ...each, result: { ...each.result, timestamp } };
    }
    const asksForHead = call?.method === "eth_getBlockByNumber" && call.params[0] === "latest";
    return mood === "stale" && asksForHead ? { ...each, result: staleHead } : each;
  }

  async function readHead(): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] });
    const json: unknown = await (await fetch(nodeUrl, { method: "POST", body, headers: JSON_TYPE })).json();
    return isRecord(json) ? json.result : null;
  }

  return {
    urlFor: (client) => `http://127.0.0.1:${port}/${client}`,
    async mood(next) {
      if (next === "stale") staleHead = await readHead();
      mood = next;
    },
    down: () => server.stop(true),
    up() {
      server = serve(port ?? 0);
    },
    hold(method, clients) {
      const { promise, resolve } = Promise.withResolvers<string>();
      held = { method, clients, caught: resolve };
      return promise;
    },
    stop: () => server.stop(true),
  };
}
