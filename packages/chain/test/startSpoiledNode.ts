/** One JSON-RPC request as our client sends it. */
export type NodeCall = { id: number; method: string; params: unknown[] };

export type NodeAnswer = { jsonrpc: "2.0"; id: number; result?: unknown; error?: unknown };

/** What a node does to the answer of one call, which is named by `callKey`. */
export type Spoiler = {
  call: string;
  /** Whether every answer to that call is spoiled, or the first alone. */
  always: boolean;
  /** What the node sends in place of the answer: none, one or several parts of a batch. */
  answer?: (answer: NodeAnswer) => unknown[];
  /** What it sends in place of the whole HTTP response that holds the answer. */
  response?: (text: string) => Response;
};

export type SpoiledNode = {
  /** A client with a separate URL. `spoiler` is null for a sound node. */
  open(spoiler: Spoiler | null): NodeClient;
  stop(): Promise<void>;
};

export type NodeClient = {
  url: string;
  /** The different calls so far, in order, with the answers of the sound node. */
  asked: Map<string, { call: NodeCall; answer: NodeAnswer }>;
  /** Whether the spoiler has been used. */
  struck: boolean;
  close(): void;
};

type Client = NodeClient & { spoiler: Spoiler | null };

/** A result or error that a node gives in place of its own; null for its own. */
export type Override = (call: NodeCall) => Pick<NodeAnswer, "result" | "error"> | null;

/**
 * Answers as the node at `target` does, whose chain must stand still: each different call is sent there once. A client may have
 * one of its answers spoiled.
 */
export function startSpoiledNode(target: string, override: Override = () => null): SpoiledNode {
  const recorded = new Map<string, Promise<NodeAnswer>>();
  const clients = new Map<string, Client>();
  let opened = 0;

  function answerOf(call: NodeCall): Promise<NodeAnswer> {
    const key = callKey(call);
    const known = recorded.get(key);
    if (known !== undefined) return known;
    const own = override(call);
    const asked = own === null ? askNode(target, call) : Promise.resolve({ jsonrpc: "2.0" as const, id: 0, ...own });
    recorded.set(key, asked);
    return asked;
  }

  async function respond(client: Client, text: string): Promise<Response> {
    // Sent by our own client, in the form of JSON-RPC.
    const body = JSON.parse(text) as NodeCall | NodeCall[];
    const calls = Array.isArray(body) ? body : [body];
    let wrap: ((text: string) => Response) | undefined;
    const parts: unknown[] = [];
    for (const call of calls) {
      const answer = { ...(await answerOf(call)), id: call.id };
      const key = callKey(call);
      client.asked.set(key, { call, answer });
      const { spoiler } = client;
      if (spoiler?.call !== key || (client.struck && !spoiler.always)) {
        parts.push(answer);
        continue;
      }
      client.struck = true;
      parts.push(...(spoiler.answer?.(answer) ?? [answer]));
      wrap = spoiler.response;
    }
    const json = JSON.stringify(Array.isArray(body) || parts.length > 1 ? parts : parts[0]) ?? "";
    return wrap?.(json) ?? new Response(json, { headers: { "Content-Type": "application/json" } });
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      const client = clients.get(new URL(request.url).pathname.slice(1));
      return client === undefined
        ? new Response("unknown client", { status: 404 })
        : respond(client, await request.text());
    },
  });

  return {
    open(spoiler) {
      const name = String(++opened);
      const client: Client = {
        url: `${server.url}${name}`,
        asked: new Map(),
        struck: false,
        spoiler,
        close: () => void clients.delete(name),
      };
      clients.set(name, client);
      return client;
    },
    stop: () => server.stop(true),
  };
}

/** Names a call by what it asks for. */
export function callKey({ method, params }: Pick<NodeCall, "method" | "params">): string {
  return `${method} ${JSON.stringify(params)}`;
}

async function askNode(url: string, call: NodeCall): Promise<NodeAnswer> {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify({ jsonrpc: "2.0", ...call }) });
  // anvil's.
  return (await response.json()) as NodeAnswer;
}
