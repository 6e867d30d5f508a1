import { afterAll, afterEach, describe, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { connectMcp, postMcp } from "@dueday/api/test/connectMcp";
import { sendRaw } from "@dueday/api/test/sendRaw";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const RPC_SECRET = "rpc-key-that-must-not-leak";
const api = await startTestApi({
  database: await createTestDatabase(),
  rpcUrl: `http://127.0.0.1:1/${RPC_SECRET}`,
  contract: "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f",
  env: { MCP_ALLOWED_ORIGINS: "https://agent.example" },
});
afterAll(() => api.stop());

type Answered = { status: number; headers: Headers; body: Record<string, unknown>; text: string };
let answers: string[] = [];

async function post(body: unknown, headers: Record<string, string> = {}): Promise<Answered> {
  const response = await postMcp(api, body, headers);
  const text = await response.text();
  answers.push(text);
  return { status: response.status, headers: response.headers, body: text === "" ? {} : JSON.parse(text), text };
}

function request(method: string, params?: object, id: unknown = 1) {
  return { jsonrpc: "2.0", id, method, ...(params === undefined ? {} : { params }) };
}
const listChains = (id: unknown = 1) => request("tools/call", { name: "list_chains", arguments: {} }, id);
const rpcCode = ({ body }: Answered) => Object(body.error).code;

afterEach(() => {
  // No answer has the node's address, or anything of the machine.
  for (const text of answers)
    for (const secret of [RPC_SECRET, "127.0.0.1:1", "node_modules", ".ts:"]) expect(text).not.toContain(secret);
  expect(api.logText()).not.toContain(RPC_SECRET);
  answers = [];
});

test("the state of a service that is down is a plain answer, where REST has the status 503", async () => {
  await waitUntil("the node to be missed", async () => (await callApi(api, "/status")).status === 503);
  const { status, body } = await post(request("tools/call", { name: "get_status", arguments: {} }));
  const { isError = false, structuredContent } = Object(body.result);
  expect([status, isError, structuredContent.status]).toEqual([200, false, "down"]);
});

describe("a batch", () => {
  test("of 20 calls is answered whole, each under its id", async () => {
    const { status, body } = await post(Array.from({ length: 20 }, (_, id) => listChains(id)));
    const ids = Object(body).map(({ id }: { id: number }) => id);
    expect([status, ids.toSorted((a: number, b: number) => a - b)]).toEqual([
      200,
      Array.from({ length: 20 }, (_, id) => id),
    ]);
  });

  test.each([
    ["of 21 messages", Array.from({ length: 21 }, (_, id) => listChains(id))],
    ["of nothing", []],
    ["that uses an id twice", [listChains(1), listChains(1)]],
    ["with something that is not a message", [listChains(1), "text"]],
  ])("%s is refused whole", async (_, batch) => {
    const answered = await post(batch);
    expect([answered.status, rpcCode(answered), answered.body.id]).toEqual([400, -32600, null]);
  });

  test("that cancels its own call is still answered", async () => {
    const cancel = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
    const { status, body } = await post([listChains(1), cancel]);
    expect([status, body.id]).toEqual([200, 1]);
  });
});

describe("a body", () => {
  test.each([
    ["{", -32700],
    ["", -32600],
    ["[1", -32700],
    ["null", -32600],
    ["7", -32600],
    ['{"id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1.5,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1e400,"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":7}', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600],
    [`${"[".repeat(200_000)}${"]".repeat(200_000)}`, -32600],
  ])("%.60s is a JSON-RPC error", async (body, code) => {
    const answered = await post(body);
    expect([answered.status, rpcCode(answered)]).toEqual([400, code]);
    expect(Object(Object(answered.body.error).data)).toMatchObject({ code: "VALIDATION_ERROR" });
  });

  test("of 5 MiB is 413, declared or chunked; 1 MiB may be sent", async () => {
    const message = JSON.stringify(request("ping", { filler: "x".repeat(5 * 1024 * 1024) }));
    const declared = await post(message);
    expect([declared.status, rpcCode(declared)]).toEqual([413, -32600]);
    const chunks = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(256 * 1024).fill(32));
      },
    });
    const headers = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const chunked = await fetch(`${api.url}/mcp`, { method: "POST", headers, body: chunks });
    expect(chunked.status).toBe(413);
    expect((await post(JSON.stringify(request("ping", { filler: "x".repeat(1_000_000) })))).status).toBe(200);
  });

  test("that is not JSON by its type, or compressed, is 415", async () => {
    for (const headers of [{ "Content-Type": "text/plain" }, { "Content-Encoding": "gzip" }]) {
      const answered = await post(listChains(), headers);
      expect([answered.status, rpcCode(answered)]).toEqual([415, -32600]);
    }
  });
});

describe("a request", () => {
  test.each(["application/json", "*/*", "text/html", "text/event-stream"])(
    "that accepts %s alone is 406",
    async (accept) => {
      const answered = await post(listChains(), { Accept: accept });
      expect([answered.status, rpcCode(answered)]).toEqual([406, -32000]);
    },
  );

  test.each(["nothing/known", "constructor", "__proto__", "tools/call/", "sampling/createMessage"])(
    "for the unknown method %s is answered with method not found",
    async (method) => {
      const answered = await post(request(method));
      expect([answered.status, rpcCode(answered), answered.body.id]).toEqual([200, -32601, 1]);
    },
  );

  test.each([
    ["initialize", {}],
    ["initialize", { protocolVersion: 7, capabilities: [], clientInfo: null }],
    ["tools/list", { cursor: 7 }],
    ["tools/call", undefined],
    ["tools/call", { name: 7 }],
    ["tools/call", { name: "list_chains", arguments: "text" }],
    ["tools/call", { name: "no_such_tool" }],
    ["tools/call", { name: "constructor", arguments: {} }],
    ["prompts/get", {}],
    ["resources/read", { uri: 7 }],
  ])("%s with params %j is -32602", async (method, params) => {
    const answered = await post(request(method, params));
    expect([answered.status, rpcCode(answered), answered.body.id]).toEqual([200, -32602, 1]);
  });

  test("for a resource that does not exist is -32602", async () => {
    expect(rpcCode(await post(request("resources/read", { uri: "file:///etc/passwd" })))).toBe(-32602);
  });

  test.each(["unknown", "constructor", "chainid"])("with the argument %s is an error of the tool", async (key) => {
    const given = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_protocol_state","arguments":{"${key}":{}}}}`;
    const { status, body } = await post(given);
    const { isError, content } = Object(body.result);
    const envelope = JSON.parse(content[0].text);
    expect([status, isError, envelope.code]).toEqual([200, true, "VALIDATION_ERROR"]);
    expect(envelope.issues).toEqual([expect.objectContaining({ code: "UNKNOWN_KEY", path: key })]);
  });

  test("that asks to be run as a task is run at once, since this server has none", async () => {
    const { body } = await post(request("tools/call", { name: "list_chains", arguments: {}, task: { ttl: 60_000 } }));
    expect(Object(body.result)).toHaveProperty("structuredContent");
  });

  test("is answered whatever session it claims", async () => {
    const headers = { "Mcp-Session-Id": "f00", "Last-Event-ID": "7" };
    const answered = await post(listChains(), headers);
    expect([answered.status, answered.headers.get("mcp-session-id")]).toEqual([200, null]);
  });

  test("of a protocol version that does not exist is 400; each that the SDK knows is spoken", async () => {
    const unknown = await post(listChains(), { "MCP-Protocol-Version": "1999-01-01" });
    expect([unknown.status, rpcCode(unknown)]).toEqual([400, -32000]);
    for (const version of ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"]) {
      const params = { protocolVersion: version, capabilities: {}, clientInfo: { name: "test", version: "1" } };
      expect(Object((await post(request("initialize", params))).body.result).protocolVersion).toBe(version);
      expect((await post(listChains(), { "MCP-Protocol-Version": version })).status).toBe(200);
    }
  });
});

test("a page of another origin is refused, one that the operator allows is not", async () => {
  for (const origin of ["https://evil.example", "null", "http://agent.example", "https://agent.example.evil.example"]) {
    const answered = await post(listChains(), { Origin: origin });
    expect([answered.status, rpcCode(answered)]).toEqual([403, -32000]);
    expect(Object(Object(answered.body.error).data).code).toBe("ORIGIN_REFUSED");
  }
  expect((await post(listChains(), { Origin: "https://agent.example" })).status).toBe(200);
  // A page of this service itself; another name for the same address is another origin.
  const { host, port } = new URL(api.url);
  expect((await post(listChains(), { Origin: `http://${host}` })).status).toBe(200);
  const rebound = { Host: `rebound.example:${port}`, Origin: `http://rebound.example:${port}` };
  expect((await post(listChains(), rebound)).status).toBe(403);
});

test("GET and DELETE are 405 and open no stream", async () => {
  for (const method of ["GET", "DELETE", "PUT"]) {
    const { status, headers, body } = await callApi(api, "/mcp", { method, headers: { Accept: "text/event-stream" } });
    expect([status, headers.get("allow"), Object(body.error).code]).toEqual([405, "POST, OPTIONS", -32600]);
  }
});

test("notifications alone are 202 without a body", async () => {
  const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
  for (const body of [initialized, [initialized, { jsonrpc: "2.0", id: 4, result: {} }]]) {
    const answered = await post(body);
    expect([answered.status, answered.text]).toEqual([202, ""]);
  }
});

test("a chainId in the URL selects nothing here, and REST's switch of a chain does not apply to it", async () => {
  for (const chainId of ["nope", "1", "31337&chainId=31337"]) {
    const { status, body } = await callApi(api, `/mcp?chainId=${chainId}`, {
      method: "POST",
      headers: { Accept: "application/json, text/event-stream" },
      body: listChains(),
    });
    expect([chainId, status, body.error]).toEqual([chainId, 200, undefined]);
  }
});

test("a Host that is none is refused before anything else", async () => {
  const answer = await sendRaw(api.url, ["POST /mcp HTTP/1.1", "Host: h", "Connection: close", "Content-Length: 0"]);
  expect(answer).toStartWith("HTTP/1.1 400");
});

test("every answer has lane and request id; the client's own id is taken over", async () => {
  const requestId = crypto.randomUUID();
  const { headers } = await post(listChains(), { "X-Request-Id": requestId });
  expect([headers.get("x-request-id"), headers.get("x-service-lane")]).toEqual([requestId, "free"]);
  await waitUntil("its line in the log", () => api.logText().includes(requestId));
  const line = api.requestLog().find((each) => each.requestId === requestId);
  expect(line).toMatchObject({ path: "/mcp", operation: "list_chains", lane: "free", status: 200 });
});

test("a client that disconnects in the middle does not affect the service", async () => {
  const session = await connectMcp(api);
  const controller = new AbortController();
  const calling = session.client.callTool({ name: "get_protocol_state", arguments: {} }, undefined, {
    signal: controller.signal,
  });
  controller.abort();
  await expect(calling).rejects.toThrow();
  expect((await session.call("list_chains")).isError).toBe(false);
  await session.close();
});
