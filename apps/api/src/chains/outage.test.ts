import { afterAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID } from "@dueday/api/test/startTestApi";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";

const real = await createTestDatabase();
const port = Number(new URL(real.url).port);
const proxy = await startTcpProxy();
proxy.pointAt(port);
const address = new URL(real.url);
address.port = String(proxy.port);
const database = connectDatabase({ url: address.href });
const devnet = await startDevnet({ scenario: demo, now: 1_790_000_000 });
const api = await startTestApi({
  database: { database, url: address.href },
  rpcUrl: devnet.url,
  contract: devnet.contract,
  // The chain is one whose blocks come by themselves, as far as the age of its head is concerned.
  env: { [`CHAIN_${TEST_CHAIN_ID}_MAX_CLOCK_AHEAD_SECONDS`]: "315360000" },
});
afterAll(async () => {
  await api.stop();
  await database.close();
  await proxy.stop();
  await devnet.stop();
});

async function chainStatus() {
  const { body } = await callApi(api, "/status");
  const checks = Object(body.checks);
  return { database: checks.database.status, chain: Object(checks.chains[0]) };
}

test("PostgreSQL away is the cause within 5 s, one line in the log when it begins and one when it ends, whatever fails meanwhile", async () => {
  await waitUntil("the database", async () => (await chainStatus()).database === "ok");
  proxy.pointAt(1);
  proxy.cut();
  const cutAt = performance.now();
  await waitUntil("the outage", async () => (await chainStatus()).database === "down");
  expect(performance.now() - cutAt).toBeLessThan(5_000);
  expect((await chainStatus()).chain).toMatchObject({ cause: "database" });
  for (let request = 0; request < 20; request++) await callApi(api, `/accounts/0x${"11".repeat(20)}/activity`);
  proxy.pointAt(port);
  await waitUntil("its end", async () => (await chainStatus()).database === "ok");
  const lines = api
    .logText()
    .split("\n")
    .filter((line) => /database/.test(line) && !/"msg":"request"/.test(line));
  expect(lines.filter((line) => line.includes("does not answer"))).toHaveLength(1);
  expect(lines.filter((line) => line.includes("answers again"))).toHaveLength(1);
});

test("a head that stands still is the node's fault, and the worker is not blamed", async () => {
  await waitUntil("the head to be old", async () => (await chainStatus()).chain.cause === "node_stopped", 30_000);
  const { chain } = await chainStatus();
  expect(chain.rpc.status).toBe("degraded");
  expect(chain.reason).toContain("has not changed for");
  expect(chain.reason).not.toContain("worker");
}, 40_000);
