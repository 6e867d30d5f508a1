type Request = { id: number; method: string; params: unknown[] };

export type CountingProxy = {
  url: string;
  /** HTTP requests so far. */
  requests: number;
  /** Bytes of what each call of an answered request returned, in order. */
  calls: { method: string; params: unknown[]; bytes: number }[];
  stop(): Promise<void>;
};

/** A node in front of another: passes requests on, but for those that `refuse` answers with an error; and counts. */
export function startProxy(target: string, refuse: (request: Request) => object | null = () => null): CountingProxy {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      // Sent by our own client, in the form of JSON-RPC.
      const body = (await request.json()) as Request | Request[];
      const asked = Array.isArray(body) ? body : [body];
      proxy.requests++;
      const answers = asked.map((each) => {
        const error = refuse(each);
        return error === null ? null : { jsonrpc: "2.0", id: each.id, error };
      });
      const passed = asked.filter((_, index) => answers[index] === null);
      const headers = { "content-type": "application/json" };
      const response = await fetch(target, { method: "POST", headers, body: JSON.stringify(passed) });
      // A node answers a batch with a list.
      const results = (passed.length === 0 ? [] : await response.json()) as { id: number; result?: unknown }[];
      const byId = new Map(results.map((result) => [result.id, result]));
      for (const { id, method, params } of passed) {
        const bytes = JSON.stringify(byId.get(id)?.result ?? null).length;
        proxy.calls.push({ method, params, bytes });
      }
      const all = asked.map((each, index) => answers[index] ?? byId.get(each.id));
      return Response.json(Array.isArray(body) ? all : all[0]);
    },
  });
  const proxy: CountingProxy = { url: server.url.href, requests: 0, calls: [], stop: () => server.stop(true) };
  return proxy;
}
