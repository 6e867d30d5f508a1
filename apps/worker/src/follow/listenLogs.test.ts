import { afterAll, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { ServerWebSocket } from "bun";
import { listenLogs } from "./listenLogs";

const logger = createLogger(parseConfig({ LOG_LEVEL: "silent" }));
const cleanUps: (() => unknown)[] = [];
afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

type Call = { id: number; method: string; params: unknown[] };
type Reply = (call: Call, socket: ServerWebSocket<unknown>) => unknown;

/** A node's WebSocket that answers by `reply` (undefined: not at all), and a listener on it. */
function listenTo(reply: Reply, keepAliveMs?: number) {
  const calls: Call[] = [];
  const node = { connections: 0, calls };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request, self) => (self.upgrade(request) ? undefined : new Response(null, { status: 426 })),
    websocket: {
      open: () => void node.connections++,
      message(socket, text) {
        // Sent by our own client.
        const call = JSON.parse(String(text)) as Call;
        calls.push(call);
        const answer = reply(call, socket);
        if (answer !== undefined) socket.send(JSON.stringify(answer));
      },
    },
  });
  cleanUps.push(() => server.stop(true));
  const states: boolean[] = [];
  const logs: unknown[] = [];
  const listener = listenLogs({
    url: server.url.href.replace("http", "ws"),
    chainId: 31337,
    logger,
    ...(keepAliveMs === undefined ? {} : { keepAliveMs }),
    contract: "0x00000000000000000000000000000000000000c0",
    onLogs: (each) => logs.push(...each),
    onRemoved() {},
    onLive: (isLive) => states.push(isLive),
  });
  cleanUps.push(() => listener.stop());
  return { node, states, logs };
}

const sound: Reply = ({ id, method }) => ({ jsonrpc: "2.0", id, result: method === "eth_chainId" ? "0x7a69" : "0x1" });

test("the subscription begins once the node has named the right chain, and no head is subscribed to", async () => {
  const { node, states } = listenTo(sound);
  await waitUntil("the subscription", () => states.length === 1);
  expect(states).toEqual([true]);
  expect(node.calls.slice(0, 2).map(({ method, params }) => [method, params[0]])).toEqual([
    ["eth_chainId", undefined],
    ["eth_subscribe", "logs"],
  ]);
});

test("a connection that does not answer any more is given up, and another one is made", async () => {
  let isDead = false;
  const { node, states } = listenTo((call, socket) => (isDead ? undefined : sound(call, socket)), 1_000);
  await waitUntil("the subscription", () => states.at(-1) === true);
  isDead = true;
  await waitUntil("the end of the connection", () => states.at(-1) === false);
  isDead = false;
  await waitUntil("another subscription", () => states.at(-1) === true);
  // More where the machine stood still for a second.
  expect(states.slice(0, 3)).toEqual([true, false, true]);
  expect(node.connections).toBeGreaterThanOrEqual(2);
});

test.each<[string, Reply]>([
  ["of another chain", ({ id }) => ({ jsonrpc: "2.0", id, result: "0x1" })],
  [
    "that refuses the subscription",
    (call, socket) =>
      call.method === "eth_subscribe" ? { jsonrpc: "2.0", id: call.id, error: { code: -32601 } } : sound(call, socket),
  ],
  ["that sends no object", () => []],
  ["that never answers", () => undefined],
])("a node %s is never live, and is tried again", async (_, reply) => {
  const { node, states } = listenTo(reply, 50);
  await waitUntil("a second connection", () => node.connections >= 2);
  expect(states).toEqual([]);
});
