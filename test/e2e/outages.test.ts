import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { produceBlocks } from "@dueday/devnet/produceBlocks";
import { demo } from "@dueday/devnet/scenarios/demo";
import { type Devnet, startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { startTcpProxy, type TcpProxy } from "@dueday/test-support/startTcpProxy";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess, type TestProcess } from "../e2e/startProcess";

setDefaultTimeout(120_000);

const BLOCK_TIME_MS = 200;
/** Levels that an operator looks at. */
const LOUD = ["warn", "error", "fatal"];
const NOWHERE = 1;

const { url } = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];
let devnet: Devnet;
let store: TcpProxy;
let worker: TestProcess;
let apiUrl: string;
let storePort: number;

beforeAll(async () => {
  devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs: BLOCK_TIME_MS });
  cleanUps.push(() => devnet.stop());
  store = await startTcpProxy();
  cleanUps.push(store.stop);
  const address = new URL(url);
  storePort = Number(address.port);
  store.pointAt(storePort);
  address.port = String(store.port);
  const env = {
    PORT: "0",
    DATABASE_URL: address.href,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
    // Blocks come by themselves, so that a head may be too old.
    CHAIN_31337_MAX_CLOCK_AHEAD_SECONDS: "31536000",
    SCAN_INTERVAL_MS: "1000",
    ADMIN_SECRET: "the admin secret of the outages",
    SECRETS_KEY: "ab".repeat(32),
    LIMIT_FREE_GLOBAL_RPM: "100000000",
  };
  worker = await startProcess("apps/worker/src/main.ts", { env });
  cleanUps.push(worker.dispose);
  const api = await startProcess("apps/api/src/main.ts", { env });
  cleanUps.push(api.dispose);
  apiUrl = (await api.printed(/API on (http\S+)/))[1] ?? "";
  await healthy();
});

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function status() {
  const response = await fetch(`${apiUrl}/status`, { keepalive: false });
  const body = Object(await response.json());
  return { overall: body.status, database: body.checks.database.status, chain: Object(body.checks.chains[0]) };
}

function healthy(): Promise<void> {
  return waitUntil("the service to be well", async () => (await status()).overall === "ok", 60_000);
}

/** What the worker has logged at level warning or above since `before`, and lines with `awaySeconds`. */
async function loudSince(before: string): Promise<string[]> {
  const lines = (await worker.output())
    .slice(before.length)
    .split("\n")
    .filter((line) => line !== "");
  return lines.filter((line) => {
    const entry = Object(JSON.parse(line));
    return LOUD.includes(entry.level) || entry.awaySeconds !== undefined;
  });
}

// First: an outage before it would count as a usual pause of the head.
test("the node answers and its head stands still: /status names the node, and recovers when blocks come again", async () => {
  await devnet.stopBlocks();
  await waitUntil("the cause", async () => (await status()).chain.cause !== undefined, 30_000);
  const { chain } = await status();
  expect(chain.cause).toBe("node_stopped");
  expect(chain.reason).not.toContain("worker");
  const production = await produceBlocks(devnet.client, { blockTimeMs: BLOCK_TIME_MS });
  cleanUps.push(production.stop);
  await healthy();
});

test("PostgreSQL is away: /status names it within 5 s, and the worker logs one line when it begins and one when it ends", async () => {
  const before = await worker.output();
  store.pointAt(NOWHERE);
  store.cut();
  const cutAt = performance.now();
  await waitUntil("the outage", async () => (await status()).chain.cause === "database", 10_000);
  expect(performance.now() - cutAt).toBeLessThan(5_000);
  await waitUntil("the worker's line", async () => (await loudSince(before)).length > 0);
  store.pointAt(storePort);
  await healthy();
  await waitUntil("the worker's second line", async () => (await loudSince(before)).length > 1);
  const { lastScanAt } = (await status()).chain;
  // What was under way during the outage has failed by the time of another scan.
  await waitUntil("another scan", async () => (await status()).chain.lastScanAt !== lastScanAt);
  expect(await loudSince(before)).toEqual([
    expect.stringContaining("the database does not answer"),
    expect.stringContaining("the database answers again"),
  ]);
});
