import { afterAll, expect, test } from "bun:test";
import { once } from "node:events";
import { createServer } from "node:net";
import { missedPayments } from "@dueday/devnet/scenarios/missedPayments";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess, type TestProcess } from "./startProcess";

const { url: databaseUrl } = await createTestDatabase();
const { url: claimedUrl } = await createTestDatabase();
const now = Math.floor(Date.now() / 1000);
const JSON_TYPE = { "content-type": "application/json" };
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** A worker on a new chain; its identity follows from the time of its first block. */
async function startWorker(settings: Record<string, string>, chainTime = now): Promise<TestProcess> {
  const devnet = await startDevnet({ scenario: missedPayments, now: chainTime });
  cleanUps.push(() => devnet.stop());
  const worker = await startProcess("apps/worker/src/main.ts", {
    env: {
      DATABASE_URL: databaseUrl,
      CHAINS: "31337",
      CHAIN_31337_RPC_URLS: devnet.url,
      CHAIN_31337_CONTRACT: devnet.contract,
      ...settings,
    },
  });
  cleanUps.push(() => worker.dispose());
  return worker;
}

test("a worker whose Redis is unavailable logs it once, without its address, and still ends with code 0 on SIGTERM", async () => {
  const worker = await startWorker({ REDIS_URL: "redis://:a-password@127.0.0.1:1" });
  await worker.printed(/the queue can't be reached/);
  worker.kill("SIGTERM");
  expect(await worker.exited()).toBe(0);
  const output = await worker.output();
  expect(output.match(/the queue can't be reached/g)?.length).toBe(1);
  expect(output).not.toContain("a-password");
});

test("a worker on a database of another chain ends with code 1 and names the remedy", async () => {
  const settings = { DATABASE_URL: claimedUrl };
  const owner = await startWorker(settings);
  await owner.printed(/working on the chain/);
  const stranger = await startWorker(settings, now - 60);
  expect(await stranger.exited()).toBe(1);
  expect(await stranger.output()).toContain("use an empty database");
});

test("SIGTERM ends a worker within 10 s while none of its requests to the node is answered", async () => {
  const devnet = await startDevnet({ scenario: missedPayments, now });
  cleanUps.push(() => devnet.stop());
  let isSilent = false;
  let unanswered = 0;
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    async fetch(request) {
      if (isSilent) unanswered++;
      if (isSilent) return new Promise<Response>(() => {});
      return fetch(devnet.url, { method: "POST", body: await request.text(), headers: JSON_TYPE });
    },
  });
  cleanUps.push(() => node.stop(true));
  const { url } = await createTestDatabase();
  const worker = await startWorker({ DATABASE_URL: url, CHAIN_31337_RPC_URLS: node.url.href, SCAN_INTERVAL_MS: "500" });
  await worker.printed(/"job":"scan_due"/);
  isSilent = true;
  await waitUntil("a request that is not answered", () => unanswered > 0);
  worker.kill("SIGTERM");
  // By the worker's own clock: where it needs longer, it ends with 1.
  expect(await worker.exited()).toBe(0);
});

test("SIGTERM ends a worker within 10 s while its database takes connections and answers nothing", async () => {
  const { url } = await createTestDatabase();
  const proxy = await startTcpProxy();
  cleanUps.push(() => proxy.stop());
  const silent = createServer((socket) => socket.resume().on("error", () => {})).listen(0, "127.0.0.1");
  cleanUps.push(async () => silent.close());
  await once(silent, "listening");
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("the silent server has no port");
  proxy.pointAt(Number(new URL(url).port));
  const through = new URL(url);
  through.host = `127.0.0.1:${proxy.port}`;
  const worker = await startWorker({ DATABASE_URL: through.href, SCAN_INTERVAL_MS: "500" });
  await worker.printed(/"job":"scan_due"/);
  const isAsked = once(silent, "connection");
  proxy.pointAt(address.port);
  proxy.cut();
  await isAsked;
  worker.kill("SIGTERM");
  expect(await worker.exited()).toBe(0);
});

test("SIGTERM ends a keeper while it waits for the API, whose time is not over", async () => {
  const devnet = await startDevnet({ scenario: missedPayments, now });
  cleanUps.push(() => devnet.stop());
  let unanswered = 0;
  const api = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch() {
      unanswered++;
      return new Promise<Response>(() => {});
    },
  });
  cleanUps.push(() => api.stop(true));
  const keeper = await startProcess("apps/keeper/src/main.ts", {
    args: ["--api", api.url.origin, "--rpc", devnet.url, "--contract", devnet.contract],
    env: { KEEPER_PRIVATE_KEY: `0x${"11".repeat(32)}` },
  });
  cleanUps.push(() => keeper.dispose());
  await waitUntil("a request that is not answered", () => unanswered > 0);
  const since = performance.now();
  keeper.kill("SIGTERM");
  expect(await keeper.exited()).toBe(0);
  // The keeper would wait for 30 s.
  expect(performance.now() - since).toBeLessThan(10_000);
});
