import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@dueday/db/embedded/freePort";
import { large } from "@dueday/devnet/scenarios/large";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startRedis } from "@dueday/test-support/startRedis";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";
import { median } from "./support/quantile";

/**
 * Whether an API process stays responsive while it computes plans of a large book: `bun bench/livePlan.ts [subscriptions]`. The API runs
 * without a worker, so each read is computed from the node. Meanwhile `/status` is requested every 20 ms.
 */
const SUBSCRIPTIONS = Number(process.argv[2] ?? 5_000);
const EVERY_MS = 20;
const ROUNDS = 2;
const PATHS = ["/remit/plan", "/remit/readiness", "/remit/forecast", "/subscriptions/due"];
const ROOT = join(import.meta.dir, "..");

const postgres = await startBenchDatabase();
const redis = await startRedis();
const scenario = large({ payments: SUBSCRIPTIONS, subscribersOfEach: 1, days: 1 });
const devnet = await startDevnet({ scenario, now: Math.floor(Date.now() / 1000) });
const port = await freePort();
const url = `http://127.0.0.1:${port}`;
const api = Bun.spawn([process.execPath, join(ROOT, "apps/api/src/main.ts")], {
  env: {
    ...process.env,
    PORT: String(port),
    DATABASE_URL: postgres.url,
    REDIS_URL: `unix://${redis.path}`,
    CHAINS: "31337",
    DEFAULT_REST_CHAIN_ID: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
    LOG_LEVEL: "fatal",
    ...UNLIMITED,
  },
  stdio: ["ignore", "inherit", "inherit"],
});
try {
  while (!(await statusMs().catch(() => null))) await Bun.sleep(EVERY_MS);
  console.log(`${SUBSCRIPTIONS} subscriptions due today, an API without a worker, /status every ${EVERY_MS} ms`);
  await measure("nothing", () => Bun.sleep(2_000));
  for (let round = 0; round < ROUNDS; round++) {
    for (const path of PATHS) {
      await measure(`GET ${path}`, async () => {
        const response = await fetch(url + path);
        return `${response.status}, ${Math.round((await response.bytes()).length / 1024)} KB`;
      });
    }
  }
} finally {
  api.kill();
  await api.exited;
  await devnet.stop();
  await redis.stop();
  await postgres.stop();
}

/** Milliseconds until the API answers `/status`. */
async function statusMs(): Promise<number> {
  const start = performance.now();
  await (await fetch(`${url}/status`)).bytes();
  return performance.now() - start;
}

/** Prints how long `work` takes, and how long the answers to `/status` take meanwhile. */
async function measure(what: string, work: () => Promise<unknown>): Promise<void> {
  const times: Promise<number>[] = [];
  const timer = setInterval(() => times.push(statusMs()), EVERY_MS);
  const start = performance.now();
  const answer = await work();
  const seconds = (performance.now() - start) / 1_000;
  clearInterval(timer);
  const sorted = (await Promise.all(times)).sort((a, b) => a - b);
  const memory = /^VmRSS:\s+(\d+) kB/m.exec(await readFile(`/proc/${api.pid}/status`, "utf8"))?.[1];
  console.log(
    `  ${what.padEnd(24)} ${seconds.toFixed(2)} s${answer === undefined ? "" : ` (${answer})`}; /status median ` +
      `${median(sorted).toFixed(0)} ms, slowest ${(sorted.at(-1) ?? 0).toFixed(0)} ms; RSS ${Math.round(Number(memory) / 1024)} MB`,
  );
}
