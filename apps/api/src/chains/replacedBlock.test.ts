import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startProtocol } from "@dueday/api/test/startProtocol";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";

type Call = { id: number; method: string; params: unknown[] };

const database = await createTestDatabase();
const protocol = await startProtocol({ now: 1_790_000_000 });
const { client, contract } = protocol;
let replaced = "none yet";

/** A node that has replaced a block after it has sent it as its head. */
const node = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    // Sent by our own client, in the form of JSON-RPC.
    const body = (await request.json()) as Call | Call[];
    const calls = [body].flat();
    const lacks = (call: Call) => call.method !== "eth_getBlockByNumber" && JSON.stringify(call).includes(replaced);
    if (calls.some(lacks) && (await client.getBlock()).hash === replaced) await client.mine({ blocks: 1 });
    const answers = await Promise.all(
      calls.map(async (call) => {
        const error = { code: -32000, message: "header not found" };
        if (lacks(call)) return { jsonrpc: "2.0", id: call.id, error };
        const headers = { "content-type": "application/json" };
        return (await fetch(protocol.url, { method: "POST", headers, body: JSON.stringify(call) })).json();
      }),
    );
    return Response.json(Array.isArray(body) ? answers : answers[0]);
  },
});

afterAll(async () => {
  await node.stop(true);
  await protocol.stop();
});

test("a prepare that was pinned to a block which its node has replaced is answered at the newest one", async () => {
  const token = await protocol.token("ONE", 18);
  const api = await startTestApi({ database, rpcUrl: node.url.href, contract });
  try {
    await client.mine({ blocks: 1 });
    replaced = (await client.getBlock()).hash;
    const { status, body } = await callApi(api, "/prepare/create_subscription", {
      method: "POST",
      body: {
        from: protocol.person(0).address,
        amount: "12",
        token,
        frequency: 1,
        dueDay: 5,
        details: { url: "", description: "" },
      },
    });
    expect([status, body.error]).toEqual([200, undefined]);
    expect(Object(body.asOf).blockHash).not.toBe(replaced);
  } finally {
    await api.stop();
  }
});
