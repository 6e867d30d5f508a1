/** A request as the stub received it. */
export type ReceivedRequest = { method: string; path: string; headers: Headers; body: string };

export type StubService = {
  url: string;
  /** All requests so far, in order. */
  received: readonly ReceivedRequest[];
  stop(): Promise<void>;
};

/** A real server on a free port that answers with what `answer` returns, for answers that a real service gives only in trouble. */
export function startStubService(
  answer: (request: ReceivedRequest, index: number) => Response | Promise<Response>,
): StubService {
  const received: ReceivedRequest[] = [];
  const server = Bun.serve({
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const entry = {
        method: request.method,
        path: pathname + search,
        headers: request.headers,
        body: await request.text(),
      };
      received.push(entry);
      return answer(entry, received.length - 1);
    },
  });
  return { url: `http://127.0.0.1:${server.port}`, received, stop: () => server.stop(true) };
}
