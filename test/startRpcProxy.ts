/** A node behind a slow line. */
export type RpcProxy = {
  url: string;
  /** Methods of each HTTP request that came, in order. */
  exchanges: string[][];
  stop(): void;
};

/** Stands before a node, notes what it is asked, and holds each answer back for `delayMs`. */
export function startRpcProxy(nodeUrl: string, { delayMs = 0 }: { delayMs?: number } = {}): RpcProxy {
  const exchanges: string[][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const body = await request.text();
      const call: { method: string } | { method: string }[] = JSON.parse(body);
      exchanges.push((Array.isArray(call) ? call : [call]).map(({ method }) => method));
      const headers = { "Content-Type": "application/json" };
      const [answer] = await Promise.all([fetch(nodeUrl, { method: "POST", body, headers }), Bun.sleep(delayMs)]);
      return new Response(await answer.arrayBuffer(), { status: answer.status, headers });
    },
  });
  return { url: server.url.href, exchanges, stop: () => void server.stop(true) };
}
