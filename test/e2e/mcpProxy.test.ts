import { afterAll, beforeAll, beforeEach, describe, test } from "bun:test";
import { createAgent, settleBacklog, subscribe } from "@dueday/api/test/agentStories";
import { connectMcp } from "@dueday/api/test/connectMcp";
import { connectModernMcp } from "@dueday/api/test/connectModernMcp";
import { freePort } from "@dueday/db/embedded/freePort";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { testRedis } from "@dueday/test-support/services";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Hex } from "viem";
import { startProcess, type TestProcess } from "./startProcess";
import { type RunningProxy, startProxy } from "./startProxy";

/** Linux answers on all of 127.0.0.0/8: each API gets its own address, as in the network of the containers. */
const ADDRESSES = ["127.0.0.6", "127.0.0.7"];
const LIMITS = ["GLOBAL_RPM", "EXPENSIVE_RPM", "WRITE_RPM", "WRITE_DAILY", "DAILY_TOTAL_REQUESTS"];

const program = process.platform === "linux" ? ensureProgram(programs.nginx) : null;
if (process.platform !== "linux") console.warn("skipped: MCP behind the proxy of compose.yaml: it needs Linux");
const redis = await testRedis();
const { url: databaseUrl } = await createTestDatabase();

describe.if(program !== null && redis !== null)("two APIs behind a proxy without sticky sessions", () => {
  const apis: TestProcess[] = [];
  let devnet: Devnet;
  let proxy: RunningProxy;
  let state: Hex;

  beforeAll(async () => {
    devnet = await startDevnet({ scenario: demo, now: 1_790_000_000 });
    const port = await freePort();
    proxy = await startProxy({ program: program ?? "", addresses: ADDRESSES, port });
    for (const address of ADDRESSES) {
      const env = {
        HOST: address,
        PORT: String(port),
        DATABASE_URL: databaseUrl,
        REDIS_URL: redis?.startsWith("/") ? `unix://${redis}` : String(redis),
        TRUSTED_PROXIES: "127.0.0.1/32",
        CHAINS: "31337",
        CHAIN_31337_RPC_URLS: devnet.url,
        CHAIN_31337_CONTRACT: devnet.contract,
        ...Object.fromEntries(LIMITS.map((name) => [`LIMIT_FREE_${name}`, "100000"])),
      };
      const api = await startProcess("apps/api/src/main.ts", { env });
      apis.push(api);
      await api.printed(/API on (http\S+)/);
    }
  }, 120_000);
  afterAll(async () => {
    for (const api of apis) await api.dispose();
    await proxy?.stop();
    await devnet?.stop();
  });
  beforeEach(async () => {
    if (state !== undefined) await devnet.client.revert({ id: state });
    state = await devnet.client.snapshot();
  });

  test.each([
    ["of revision 2025-11-25", () => connectMcp(proxy)],
    ["pinned to revision 2026-07-28", () => connectModernMcp(proxy, { mode: "pinned" })],
    ["that chooses the revision itself", () => connectModernMcp(proxy, { mode: "auto" })],
  ])(
    "a client %s subscribes a wallet and settles the backlog by tools alone",
    async (_, connect) => {
      const before = await Promise.all(apis.map(preparedIn));
      const mcp = await connect();
      await mcp.client.listTools();
      await subscribe(createAgent(mcp), devnet);
      await settleBacklog(createAgent(mcp), devnet);
      await mcp.close();
      // Each logs its own requests, a moment after it has answered them.
      for (const [index, api] of apis.entries())
        await waitUntil(`API ${index} to have had a part`, async () => (await preparedIn(api)) > (before[index] ?? 0));
    },
    180_000,
  );
});

/** Requests for prepare_remit in the log of a process. */
async function preparedIn(api: TestProcess): Promise<number> {
  return ((await api.output()).match(/prepare_remit/g) ?? []).length;
}
