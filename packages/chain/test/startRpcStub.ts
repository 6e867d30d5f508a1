/** One JSON-RPC request to the stub. */
export type StubRequest = { id: number; method: string; params: unknown[] };

/** `result` or `error` of one answer; undefined leaves it out of a batch. */
export type StubAnswer = { result: unknown } | { error: unknown } | undefined;

export type RpcStub = {
  url: string;
  /** Methods of each HTTP request, in order. */
  exchanges: string[][];
  stop(): Promise<void>;
};

export type StubOptions = {
  answer?: (request: StubRequest) => StubAnswer;
  /** Answers the whole HTTP request instead; undefined lets `answer` do it. */
  respond?: (requests: StubRequest[], isBatch: boolean) => Response | undefined | Promise<Response | undefined>;
  chainId?: number;
};

export const STUB_CHAIN_ID = 31337;

/** A JSON-RPC node on a free port that answers with `answer`, except eth_chainId, which it answers itself. */
export function startRpcStub({ answer, respond, chainId = STUB_CHAIN_ID }: StubOptions): RpcStub {
  const exchanges: string[][] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      // Only our own client talks to it, so the form of what it sends is known.
      const body = (await request.json()) as StubRequest | StubRequest[];
      const isBatch = Array.isArray(body);
      const requests = isBatch ? body : [body];
      exchanges.push(requests.map((each) => each.method));
      const response = await respond?.(requests, isBatch);
      if (response !== undefined) return response;
      const answers = requests.flatMap((each) => {
        const answered =
          each.method === "eth_chainId" ? { result: `0x${chainId.toString(16)}` } : (answer?.(each) ?? undefined);
        return answered === undefined ? [] : [{ jsonrpc: "2.0", id: each.id, ...answered }];
      });
      return Response.json(isBatch ? answers : (answers[0] ?? {}));
    },
  });
  return { url: server.url.href, exchanges, stop: () => server.stop(true) };
}
