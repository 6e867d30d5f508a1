import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { median } from "../../bench/support/quantile";
import { startProcess } from "../e2e/startProcess";
import { createLoad } from "./createLoad";

/**
 * Ten minutes at half of what an API process can take, with a worker beside it and a block every two seconds: prints for each
 * minute the 99th percentile of the latencies and the median of the process's memory, and fails where this median of the last minute is more
 * than 1.10 times that of minute 2. SOAK_MINUTES makes it longer or shorter.
 */

const MINUTES = Number(process.env.SOAK_MINUTES ?? "10");
const CAPACITY_SECONDS = 10;
const MOST_GROWTH = 1.1;
const MINUTE_MS = 60_000;

const folder = await mkdtemp(join(tmpdir(), "dueday-soak-"));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), temporary: true });
const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs: 2_000 });
const env = {
  PORT: "0",
  DATABASE_URL: postgres.url,
  CHAINS: "31337",
  CHAIN_31337_RPC_URLS: devnet.url,
  CHAIN_31337_CONTRACT: devnet.contract,
  SCAN_INTERVAL_MS: "2000",
  ...Object.fromEntries(
    ["GLOBAL_RPM", "EXPENSIVE_RPM", "SUBGRAPH_DAILY", "DAILY_TOTAL_REQUESTS"].map((name) => [
      `LIMIT_FREE_${name}`,
      "1000000000",
    ]),
  ),
};
await migrateDatabase(postgres.url);
const worker = await startProcess("apps/worker/src/main.ts", { env });
const api = await startProcess("apps/api/src/main.ts", { env });
try {
  process.exitCode = (await soak()) ? 0 : 1;
} finally {
  await api.dispose();
  await worker.dispose();
  await devnet.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Whether memory stayed within its bound. */
async function soak(): Promise<boolean> {
  const [, url = ""] = await api.printed(/API on (http\S+)/);
  await waitUntil("a plan to be served", async () => (await fetch(`${url}/remit/readiness`)).ok);
  const load = createLoad(url, Object.values(devnet.subscriptions));
  const { perSecond: capacity } = await load.run({ milliseconds: CAPACITY_SECONDS * 1000, perSecond: null });
  console.log(`capacity ${capacity.toFixed(0)} requests/s; going on at half of it for ${MINUTES} minutes`);
  const memory: number[] = [];
  for (let minute = 1; minute <= MINUTES; minute++) {
    const sampling = sampleMemory();
    const { p99, failures, perSecond } = await load.run({ milliseconds: MINUTE_MS, perSecond: capacity / 2 });
    const megabytes = median(sampling.end());
    memory.push(megabytes);
    const rate = `${perSecond.toFixed(0)} requests/s`;
    console.log(`minute ${minute}: ${rate}, p99 ${p99.toFixed(1)} ms, ${failures} failed, ${megabytes.toFixed(0)} MB`);
  }
  const growth = (memory.at(-1) ?? 0) / (memory[Math.min(1, memory.length - 1)] ?? 1);
  console.log(`memory at the end is ${growth.toFixed(2)} of minute 2 (at most ${MOST_GROWTH.toFixed(2)})`);
  return growth <= MOST_GROWTH;
}

/** Once a second: between two collections of garbage memory swings by tens of megabytes. */
function sampleMemory(): { end(): number[] } {
  const samples: number[] = [];
  const timer = setInterval(async () => void samples.push(await residentMegabytes()), 1_000);
  return {
    end() {
      clearInterval(timer);
      return samples;
    },
  };
}

async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${api.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
