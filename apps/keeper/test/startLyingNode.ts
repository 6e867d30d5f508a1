type Json = Record<string, unknown>;
type Call = { id: number; method: string; params?: unknown[] };

/** How a node lies. Each function gets one call of a batch at a time. */
export type Lie = {
  /** Changes a request before the true node answers it. */
  ask?: (call: Call) => void;
  /** What is answered in place of the true result. */
  answer?: (method: string, result: unknown) => unknown;
};

/** Starts a node that answers like another one, but for its lies. */
export function startLyingNode(nodeUrl: string, { ask, answer = (_, result) => result }: Lie) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      // The keeper's own client asks.
      const body = (await request.json()) as Call | Call[];
      const calls = Array.isArray(body) ? body : [body];
      const methods = new Map(calls.map(({ id, method }) => [id, method]));
      for (const call of calls) ask?.(call);
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(nodeUrl, { method: "POST", body: JSON.stringify(body), headers });
      // A batch is answered with a list.
      const answered = (await response.json()) as (Json & { id: number }) | (Json & { id: number })[];
      const lie = (each: Json & { id: number }) =>
        "result" in each ? { ...each, result: answer(methods.get(each.id) ?? "", each.result) } : each;
      return Response.json(Array.isArray(answered) ? answered.map(lie) : lie(answered));
    },
  });
  return { url: server.url.href, stop: () => void server.stop(true) };
}
