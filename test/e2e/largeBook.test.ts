import { afterAll, beforeAll, expect, test } from "bun:test";
import { callApi } from "@dueday/api/test/callApi";
import { startTestApi, TEST_CHAIN_ID, type TestApi } from "@dueday/api/test/startTestApi";
import { HOLDINGS_PROGRAM } from "@dueday/chain/remit/state/holdingsProgram";
import { SUBSCRIPTIONS_PROGRAM } from "@dueday/chain/remit/state/subscriptionsProgram";
import { type CountingProxy, startProxy } from "@dueday/chain/test/startProxy";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";
import { compareCalendar, compareDueDays } from "@dueday/test-support/bigChain/compareDueDays";
import { directDays } from "@dueday/test-support/bigChain/directDays";
import type { BigChain } from "@dueday/test-support/bigChain/startBigChain";
import { BOOK_MAX_REMITS, startBookChain } from "@dueday/test-support/bigChain/startBookChain";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startWorker } from "@dueday/worker/startWorker";
import type { Address } from "viem";

const SIZE = 10_000;
const CONTRACT: Address = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
/** Requests for subscriptions that are answered before: fewer than the first scans send. */
const ANSWERED = 1;
const today = dayNumber(Math.floor(Date.now() / 1000));
const database = await createTestDatabase();
const cleanUps: (() => unknown)[] = [];
let chain: BigChain;
let asksOfApi: CountingProxy;
let api: TestApi;
let node: ReturnType<typeof holdReads>;

beforeAll(async () => {
  chain = startBookChain({ chainId: TEST_CHAIN_ID, contract: CONTRACT, size: SIZE, shape: "spread", today });
  cleanUps.push(chain.stop);
  node = holdReads(chain);
  cleanUps.push(node.stop);
  asksOfApi = startProxy(chain.url);
  cleanUps.push(asksOfApi.stop);
  api = await startTestApi({ database, rpcUrl: asksOfApi.url, contract: CONTRACT });
  cleanUps.push(api.stop);
  const config = parseConfig({
    CHAINS: String(TEST_CHAIN_ID),
    [`CHAIN_${TEST_CHAIN_ID}_RPC_URLS`]: node.url,
    [`CHAIN_${TEST_CHAIN_ID}_CONTRACT`]: CONTRACT,
    LOG_LEVEL: "silent",
  });
  const worker = startWorker(config, {
    database: database.database,
    databaseUrl: database.url,
    logger: createLogger(config),
    clock: Date.now,
    onFatal: console.error,
  });
  cleanUps.push(worker.stop);
});

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

/** A node that answers some requests for subscriptions, and the others after `release`. */
function holdReads(target: BigChain) {
  const released = Promise.withResolvers<void>();
  let left = ANSWERED;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const body = await request.text();
      if (body.includes(SUBSCRIPTIONS_PROGRAM) && --left < 0) await released.promise;
      return fetch(target.url, { method: "POST", headers: request.headers, body });
    },
  });
  return { url: server.url.href, release: released.resolve, stop: () => server.stop(true) };
}

async function chainStatus() {
  const { body } = await callApi(api, "/status");
  return Object(Object(body.checks).chains)[0];
}

test("/status shows how far a running scan is and by when it has to end, and nothing of it after its end", async () => {
  let { scan } = await chainStatus();
  await waitUntil("a scan that reads to be reported", async () => {
    scan = (await chainStatus()).scan;
    return scan !== undefined && scan.subscriptionsRead < scan.subscriptions;
  });
  const { subscriptions, startedAt, deadline } = scan;
  expect(subscriptions).toBeGreaterThan(0);
  expect(subscriptions).toBeLessThanOrEqual(SIZE);
  expect(Date.parse(deadline) - Date.parse(startedAt)).toBe(120_000 + 2 * subscriptions);
  node.release();
  await waitUntil("the scans to end", async () => {
    const status = await chainStatus();
    return status.lastScanAt !== null && status.scan === undefined;
  });
});

test("sums and pages of each day, and the calendar, equal a direct computation, and no subscription is read of the node for them", async () => {
  const book = {
    size: SIZE,
    shape: "spread",
    today,
    maxRemits: BOOK_MAX_REMITS,
    cancelled: new Set<number>(),
  } as const;
  const days = directDays(book, FORECAST_DAYS + 1);
  expect(days.some(({ missed }) => missed > 0)).toBe(true);
  await waitUntil("the scanned days to be served", async () => {
    const { body } = await callApi(api, "/subscriptions/due?first=1");
    return Object(body.asOf).source === "snapshot";
  });
  const before = asksOfApi.calls.length;
  expect(await compareDueDays(api.url, today, days)).toEqual([]);
  expect(await compareCalendar(api.url, today, days)).toEqual([]);
  const programs = [SUBSCRIPTIONS_PROGRAM, HOLDINGS_PROGRAM];
  const asked = asksOfApi.calls.slice(before).map((call) => JSON.stringify(call.params));
  expect(asked.filter((params) => programs.some((program) => params.includes(program)))).toEqual([]);
  expect(asked.length).toBeLessThan(20);
});
