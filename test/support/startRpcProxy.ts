/** A proxy in front of a node: slow, or without some methods. */
export type RpcProxy = {
  url: string;
  /** Methods of each HTTP request, in order. */
  exchanges: string[][];
  stop(): void;
};

export type RpcProxyOptions = {
  /** Delay of each answer. */
  delayMs?: number;
  /** JSON-RPC methods that are answered with "method not found". */
  without?: readonly string[];
};

type JsonRpcCall = { id: number; method: string };

/** Starts a proxy that records the methods of each request. */
export function startRpcProxy(nodeUrl: string, { delayMs = 0, without = [] }: RpcProxyOptions = {}): RpcProxy {
  const exchanges: string[][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const body = await request.text();
      const call: JsonRpcCall | JsonRpcCall[] = JSON.parse(body);
      const calls = Array.isArray(call) ? call : [call];
      exchanges.push(calls.map(({ method }) => method));
      const headers = { "Content-Type": "application/json" };
      const [answer] = await Promise.all([fetch(nodeUrl, { method: "POST", body, headers }), Bun.sleep(delayMs)]);
      const lacking = new Map(
        calls.filter(({ method }) => without.includes(method)).map((each) => [each.id, refusal(each)]),
      );
      if (lacking.size === 0) return new Response(await answer.arrayBuffer(), { status: answer.status, headers });
      const replace = (each: { id: number }) => lacking.get(each.id) ?? each;
      // A batch is answered with a list.
      const answered = (await answer.json()) as { id: number } | { id: number }[];
      return Response.json(Array.isArray(answered) ? answered.map(replace) : replace(answered));
    },
  });
  return { url: server.url.href, exchanges, stop: () => void server.stop(true) };
}

function refusal({ id }: JsonRpcCall) {
  return { jsonrpc: "2.0", id, error: { code: -32601, message: "the method does not exist" } };
}
