import { afterAll, describe, expect, test } from "bun:test";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { startTestApi } from "@dueday/api/test/startTestApi";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";

const CONTRACT = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";
const database = await createTestDatabase();

/** An API on chains whose nodes are never reached: the log has the chain of each call. */
async function start(chains: readonly number[], env: Record<string, string>) {
  const settings = chains.flatMap((id) => [
    [`CHAIN_${id}_RPC_URLS`, "http://127.0.0.1:1"],
    [`CHAIN_${id}_CONTRACT`, CONTRACT],
  ]);
  const all = { CHAINS: chains.join(), ...Object.fromEntries(settings), ...env };
  const api = await startTestApi({ database, rpcUrl: "http://127.0.0.1:1", contract: CONTRACT, env: all });
  const mcp = await connectMcp(api);
  const lineOf = (requestId: string) => api.requestLog().find((line) => line.requestId === requestId);
  return {
    mcp,
    async chainOf(given: Record<string, unknown>) {
      const { body } = await mcp.call("get_protocol_state", given);
      if (body.code === "VALIDATION_ERROR") return Object(body.issues)[0].code;
      const requestId = String(body.requestId);
      await waitUntil("its line in the log", () => lineOf(requestId) !== undefined);
      return lineOf(requestId)?.chainId;
    },
    async stop() {
      await mcp.close();
      await api.stop();
    },
  };
}

describe("with 8453 among the chains", async () => {
  const { mcp, chainOf, stop } = await start([31337, 8453, 1337], {
    DEFAULT_REST_CHAIN_ID: "31337",
    CHAIN_1337_MCP: "false",
  });
  afterAll(stop);

  test("it is the default, whatever the default of REST is", async () => {
    expect(await chainOf({})).toBe(8453);
    const { body } = await mcp.call("list_chains");
    expect(body.chainId).toBe(8453);
    const flags = Object(body.chains).map((chain: Record<string, unknown>) => [chain.caip2, chain.mcp, chain.default]);
    expect(flags).toEqual([
      ["eip155:31337", true, false],
      ["eip155:8453", true, true],
      ["eip155:1337", false, false],
    ]);
  });

  test.each([31337, "31337", "eip155:31337"])("chainId may be %p", async (chainId) => {
    expect(await chainOf({ chainId })).toBe(31337);
  });

  test.each(["1337", "eip155:1337", 1337, 1])("%p is closed to MCP, or unknown", async (chainId) => {
    expect(await chainOf({ chainId })).toBe("UNKNOWN_CHAIN");
  });

  const malformed = [null, true, [], {}, "", "0x7a69", "EIP155:31337", "031337", "31337 ", 31337.5, -31337, 1e30];
  test.each(malformed.map((chainId) => ({ chainId })))("$chainId is malformed", async ({ chainId }) => {
    expect(await chainOf({ chainId })).toBe("MALFORMED");
  });

  test("a tool that is not chain-scoped accepts no chainId", async () => {
    const { isError, body } = await mcp.call("list_chains", { chainId: 8453 });
    expect([isError, Object(body.issues)[0].code]).toEqual([true, "UNKNOWN_KEY"]);
  });
});

test("without 8453 the first chain that is open to MCP is the default", async () => {
  const { chainOf, stop } = await start([1337, 31337, 31338], {
    CHAIN_1337_MCP: "false",
    DEFAULT_REST_CHAIN_ID: "31338",
  });
  expect(await chainOf({})).toBe(31337);
  await stop();
});

test("where no chain is open to MCP, calls that need one are refused and list_chains has no default", async () => {
  const { mcp, chainOf, stop } = await start([31337], { CHAIN_31337_MCP: "false" });
  expect(await chainOf({})).toBe("UNKNOWN_CHAIN");
  expect((await mcp.call("list_chains")).body.chainId).toBeNull();
  await stop();
});
