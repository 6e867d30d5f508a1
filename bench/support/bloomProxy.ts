/** A proxy before a node, in whose headers every bit of the bloom is set and no block is empty, as on a busy chain. */
export type BloomProxy = {
  url: string;
  wsUrl: string;
  /** Sent over WebSockets since the start. */
  pushed(): { messages: number; bytes: number };
  stop(): Promise<void>;
};

const BLOOM = /"logsBloom":"0x[0-9a-f]+"/g;
const SATURATED = `"logsBloom":"0x${"f".repeat(512)}"`;
/** An empty block is recognised by the root of its receipts, and never asked for logs. */
const RECEIPTS = /"receiptsRoot":"0x[0-9a-f]+"/g;
const OF_SOME = `"receiptsRoot":"0x${"1".repeat(64)}"`;

export function startBloomProxy(nodeUrl: string): BloomProxy {
  const pushed = { messages: 0, bytes: 0 };
  const saturate = (text: string) => text.replace(BLOOM, SATURATED).replace(RECEIPTS, OF_SOME);
  const server = Bun.serve<{ node?: WebSocket; waiting: string[] }>({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 255,
    async fetch(request, self) {
      if (self.upgrade(request, { data: { waiting: [] } })) return undefined;
      const headers = { "content-type": "application/json" };
      const answer = await fetch(nodeUrl, { method: "POST", headers, body: await request.text() });
      return new Response(saturate(await answer.text()), { headers });
    },
    error: () => new Response("the node does not answer", { status: 502 }),
    websocket: {
      open(socket) {
        const node = new WebSocket(nodeUrl.replace("http", "ws"));
        node.onopen = () => {
          for (const message of socket.data.waiting.splice(0)) node.send(message);
        };
        node.onmessage = ({ data }) => {
          const text = saturate(String(data));
          pushed.messages++;
          pushed.bytes += text.length;
          socket.send(text);
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
    pushed: () => ({ ...pushed }),
    stop: () => server.stop(true),
  };
}
