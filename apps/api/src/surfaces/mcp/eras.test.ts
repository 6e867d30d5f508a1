import { afterAll, describe, expect, test } from "bun:test";
import { connectMcp, postMcp } from "@dueday/api/test/connectMcp";
import { connectModernMcp } from "@dueday/api/test/connectModernMcp";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { planId } from "@dueday/devnet/demoArguments";
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  PROTOCOL_VERSION_META_KEY,
} from "@modelcontextprotocol/client";

const REVISION = "2026-07-28";
const { api, devnet, stop } = await startDemoApi();
afterAll(stop);

type Sent = { params?: Record<string, unknown>; version?: string; headers?: Record<string, string> };

/** A request as revision 2026-07-28 has it: no handshake, everything in the request itself. */
async function ask(method: string, { params = {}, version = REVISION, headers = {} }: Sent = {}) {
  const _meta = {
    [PROTOCOL_VERSION_META_KEY]: version,
    [CLIENT_INFO_META_KEY]: { name: "test", version: "1.0.0" },
    [CLIENT_CAPABILITIES_META_KEY]: {},
  };
  const name = params.name ?? params.uri;
  const response = await postMcp(
    api,
    { jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } },
    {
      "MCP-Protocol-Version": version,
      "Mcp-Method": method,
      ...(typeof name === "string" ? { "Mcp-Name": name } : {}),
      ...headers,
    },
  );
  const body = Object(await response.json());
  return { status: response.status, result: Object(body.result), error: Object(body.error) };
}

describe(`revision ${REVISION}`, () => {
  test("server/discover describes the server without a handshake", async () => {
    const { status, result } = await ask("server/discover");
    expect([status, result.supportedVersions]).toEqual([200, [REVISION]]);
    expect(result.instructions).toContain("signs and broadcasts");
    expect(result.capabilities).toMatchObject({ tools: {}, prompts: {}, resources: {} });
  });

  test("lists state how long they stay current, and for whom", async () => {
    for (const method of ["tools/list", "prompts/list", "resources/list", "resources/templates/list"]) {
      const { status, result } = await ask(method);
      expect([method, status, result.ttlMs, result.cacheScope]).toEqual([method, 200, 3_600_000, "public"]);
    }
  });

  test("an unsupported version is refused with the versions that are served", async () => {
    const { status, error } = await ask("tools/list", { version: "2099-01-01" });
    expect([status, error.code, error.data.supported]).toEqual([400, -32022, [REVISION]]);
  });

  test.each([
    ["another method", { "Mcp-Method": "prompts/list" }],
    ["another version", { "MCP-Protocol-Version": "2025-11-25" }],
  ])("a header that names %s than the body is refused", async (_, headers) => {
    const { status, error } = await ask("tools/list", { headers });
    expect([status, error.code]).toEqual([400, expect.any(Number)]);
  });

  test("a header that names another tool than the body is refused, and the tool does not run", async () => {
    const params = { name: "list_chains", arguments: {} };
    const { status, result } = await ask("tools/call", { params, headers: { "Mcp-Name": "get_protocol_state" } });
    expect([status, result.content]).toEqual([400, undefined]);
  });

  test("no stream is opened for notifications, because there are none", async () => {
    const { status, error } = await ask("subscriptions/listen", { params: { notifications: {} } });
    expect([status, error.code]).toEqual([404, -32601]);
  });

  test("unknown tools, resources and params of another type are invalid params; an unknown method is not found", async () => {
    expect((await ask("tools/call", { params: { name: "no_such_tool" } })).error.code).toBe(-32602);
    expect((await ask("tools/call", { params: { name: "list_chains", arguments: "text" } })).error.code).toBe(-32602);
    expect((await ask("resources/read", { params: { uri: "file:///etc/passwd" } })).error.code).toBe(-32602);
    expect((await ask("nothing/known")).error.code).toBe(-32601);
  });

  test("a batch is not part of it", async () => {
    const _meta = { [PROTOCOL_VERSION_META_KEY]: REVISION };
    const batch = [1, 2].map((id) => ({ jsonrpc: "2.0", id, method: "tools/list", params: { _meta } }));
    expect((await postMcp(api, batch, { "MCP-Protocol-Version": REVISION })).status).toBe(400);
  });
});

test("both eras give the same answers and the same errors", async () => {
  const [old, modern] = [await connectMcp(api), await connectModernMcp(api, { mode: "pinned" })];
  const calls: [string, Record<string, unknown>][] = [
    ["get_protocol_state", {}],
    ["get_subscription", { id: planId(devnet) }],
    ["get_remit_readiness", {}],
    ["get_remit_readiness", { detail: "full" }],
    ["get_subscription", { id: "nonsense" }],
    ["get_protocol_state", { chainId: 1 }],
  ];
  const withoutRequest = ({ requestId: _, asOf: __, ...rest }: Record<string, unknown>) => rest;
  for (const [name, given] of calls) {
    const [first, second] = [await old.call(name, given), await modern.call(name, given)];
    expect([name, second.isError, withoutRequest(second.body)]).toEqual([
      name,
      first.isError,
      withoutRequest(first.body),
    ]);
  }
  await Promise.all([old.close(), modern.close()]);
});

test("a list has 20 entries over MCP unless first has another number", async () => {
  const mcp = await connectMcp(api);
  const { body } = await mcp.call("get_subscription", { id: planId(devnet) });
  const address = Object(body.subscription).provider;
  const page = (await mcp.call("get_account_activity", { address })).body;
  expect([Object(page.events).length, page.hasMore]).toEqual([20, true]);
  expect(Object((await mcp.call("get_account_activity", { address, first: 25 })).body.events).length).toBe(25);
  await mcp.close();
});
