/** What a node does: answer, fail with a page that names its URL, serve another chain, or know no contract. */
export type RpcMood = "well" | "down" | "wrong_chain" | "no_contract";

export type FaultyRpc = {
  /** Holds a secret, as URLs of providers do. */
  url: string;
  secret: string;
  mood: RpcMood;
  stop(): void;
};

type JsonRpcCall = { id: number; method: string };
type JsonRpcAnswer = { id: number };

/** Stands before a real node and spoils its answers. */
export function startFaultyRpc(nodeUrl: string, mood: RpcMood): FaultyRpc {
  const secret = `key-${crypto.randomUUID()}`;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (rpc.mood === "down") return new Response(`<h1>${request.url} is down</h1>`, { status: 502 });
      const body = await request.text();
      const answer = await (await fetch(nodeUrl, { method: "POST", body, headers: JSON_TYPE })).json();
      const answers: JsonRpcAnswer[] = Array.isArray(answer) ? answer : [answer];
      const call: JsonRpcCall | JsonRpcCall[] = JSON.parse(body);
      const calls = Array.isArray(call) ? call : [call];
      const spoiled = answers.map((each) => spoil(each, calls.find(({ id }) => id === each.id)?.method));
      return Response.json(Array.isArray(answer) ? spoiled : spoiled[0]);
    },
  });

  function spoil(answer: JsonRpcAnswer, method: string | undefined): object {
    const answered = (result: string) => ({ jsonrpc: "2.0", id: answer.id, result });
    if (rpc.mood === "wrong_chain" && method === "eth_chainId") return answered("0x1");
    if (rpc.mood === "no_contract" && method === "eth_getCode") return answered("0x");
    return answer;
  }

  const rpc: FaultyRpc = {
    url: `http://127.0.0.1:${server.port}/v2/${secret}`,
    secret,
    mood,
    stop: () => void server.stop(true),
  };
  return rpc;
}

const JSON_TYPE = { "Content-Type": "application/json" };
