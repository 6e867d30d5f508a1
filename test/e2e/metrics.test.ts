import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { createTestDatabase } from "@dueday/test-support/createTestDatabase";
import { testRedis } from "@dueday/test-support/services";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess } from "./startProcess";

const ADMIN_SECRET = "an-admin-secret-of-a-test";

const redis = await testRedis();
const { url: databaseUrl } = await createTestDatabase();
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

describe.if(redis !== null)("the metrics of an API and a worker", () => {
  let running: Awaited<ReturnType<typeof startBoth>>;
  beforeAll(async () => {
    running = await startBoth();
  });

  test("count requests, limits, nodes, scans, backlog, index and queue; neither they nor the log contain a URL or a secret", async () => {
    const { api, worker, apiUrl, secrets, apiProcess, workerProcess } = running;
    await waitUntil("a plan to be served", async () => (await fetch(`${apiUrl}/remit/readiness`)).ok);
    await fetch(`${apiUrl}/nothing-there`);
    for (let asked = 0; asked < 2; asked++) await fetch(`${apiUrl}/subscriptions`);
    // The index and each scan begin independently.
    for (const name of WORKER_METRICS)
      await waitUntil(`${name} to be reported`, async () => (await read(worker)).includes(`\n${name}{chain="31337"`));
    const fromApi = await read(api);
    expect(fromApi).toContain('dueday_request_seconds_count{operation="get_remit_readiness",lane="free",status="200"}');
    expect(fromApi).toContain('dueday_request_seconds_count{operation="none",lane="free",status="404"} 1');
    expect(fromApi).toMatch(/dueday_limit_admissions_total\{lane="free"\} [1-9]/);
    expect(fromApi).toMatch(/dueday_limit_refusals_total\{lane="free",bucket="expensiveRpm"\} [1-9]/);
    expect(fromApi).toContain("dueday_limiter_degraded 0");
    expect(fromApi).toContain('dueday_chain_up{chain="31337"} 1');
    expect(fromApi).toMatch(
      /dueday_api_rpc_requests_total\{chain="31337",node="0",method="eth_getBlockByNumber",purpose="\w+",outcome="ok"\}/,
    );
    const fromWorker = await read(worker);
    expect(fromWorker).toMatch(/dueday_backlog_payments\{chain="31337"\} [1-9]/);
    await workerProcess.printed(/"job":"scan_remit".*"msg":"job"/);
    const output = [fromApi, fromWorker, await workerProcess.output(), await apiProcess.output()].join("\n");
    for (const secret of secrets) expect(output).not.toContain(secret);
  });

  test("the page of the queues opens for the admin secret alone", async () => {
    const { worker, api } = running;
    const enter = (password: string, path = "/queues") =>
      fetch(`${worker}${path}`, { headers: { Authorization: `Basic ${btoa(`operator:${password}`)}` } });
    expect((await fetch(`${worker}/queues`)).status).toBe(401);
    expect((await fetch(`${worker}/queues/api/queues`)).status).toBe(401);
    expect((await enter("another-secret-of-a-test")).status).toBe(401);
    const page = await enter(ADMIN_SECRET);
    expect(page.status).toBe(200);
    const files = [...(await page.text()).matchAll(/"(static\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file);
    expect(files.length).toBeGreaterThan(0);
    for (const file of files) expect((await enter(ADMIN_SECRET, `/queues/${file}`)).status).toBe(200);
    expect((await fetch(`${api}/queues`)).status).toBe(404);
    for (let guess = 0; guess < 30; guess++) await enter(`guess ${guess}`);
    expect((await enter(ADMIN_SECRET)).status).toBe(429);
  });
});

const WORKER_METRICS = [
  "dueday_scan_age_seconds",
  "dueday_backlog_payments",
  "dueday_oldest_due_day",
  "dueday_days_behind",
  "dueday_expected_failures",
  "dueday_plan_transactions",
  "dueday_blocked",
  "dueday_index_block",
  "dueday_index_block_age_seconds",
  "dueday_index_age_seconds",
  "dueday_reorganisations_total",
  "dueday_queue_jobs",
  "dueday_job_seconds_count",
  "dueday_worker_rpc_requests_total",
  "dueday_worker_rpc_compute_units_total",
  "dueday_worker_rpc_bytes_total",
];

/** An API and a worker with shared settings; `api` and `worker` are the URLs of their metrics. */
async function startBoth() {
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
  cleanUps.push(() => devnet.stop());
  const env = {
    PORT: "0",
    METRICS_PORT: "0",
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis?.startsWith("/") ? `unix://${redis}` : String(redis),
    ADMIN_SECRET,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
    SCAN_INTERVAL_MS: "500",
    STALE_AFTER_MS: "5000",
    LIMIT_FREE_GLOBAL_RPM: "100000",
    LIMIT_FREE_EXPENSIVE_RPM: "1",
    LIMIT_FREE_DAILY_TOTAL_REQUESTS: "100000",
  };
  const [worker, api] = await Promise.all([
    startProcess("apps/worker/src/main.ts", { env }),
    startProcess("apps/api/src/main.ts", { env }),
  ]);
  cleanUps.push(worker.dispose, api.dispose);
  const metricsOf = async (process: typeof api) =>
    (await process.printed(/"url":"([^"]+)","msg":"metrics are served"/))[1] ?? "";
  const [, apiUrl = ""] = await api.printed(/API on (http\S+)/);
  const secrets = [devnet.url, env.DATABASE_URL, env.REDIS_URL, ADMIN_SECRET];
  return {
    apiProcess: api,
    workerProcess: worker,
    apiUrl,
    secrets,
    api: await metricsOf(api),
    worker: await metricsOf(worker),
  };
}

const read = async (url: string) => (await fetch(`${url}/metrics`)).text();
