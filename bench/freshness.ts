import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startWorker } from "@dueday/worker/startWorker";

/**
 * How long a new event takes from its block's arrival to an answer, with a whole worker and API on a devnet, and what an idle
 * head costs in requests: `bun bench/freshness.ts [blocks]`.
 */
const BLOCKS = Number(process.argv[2] ?? 60);
const IDLE_MS = 10_000;
/** How often the answer is looked at. */
const LOOK_MS = 5;

const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
const counted = { requests: 0 };
/** Counts what passes to the node. */
const node = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    counted.requests++;
    const headers = { "content-type": "application/json" };
    const response = await fetch(devnet.url, { method: "POST", headers, body: await request.text() });
    return new Response(await response.text(), { headers });
  },
});
const dataDir = await mkdtemp(join(tmpdir(), "dueday-bench-"));
const server = await startEmbeddedPostgres({ dataDir, temporary: true });
await migrateDatabase(server.url);
const database = connectDatabase({ url: server.url });

const settings = (rpcUrl: string) =>
  parseConfig({
    PORT: "0",
    CHAINS: String(DEVNET_CHAIN_ID),
    [`CHAIN_${DEVNET_CHAIN_ID}_RPC_URLS`]: rpcUrl,
    [`CHAIN_${DEVNET_CHAIN_ID}_CONTRACT`]: devnet.contract,
    SCAN_INTERVAL_MS: "60000",
    LOG_LEVEL: "error",
    LIMIT_FREE_GLOBAL_RPM: "1000000",
    LIMIT_FREE_EXPENSIVE_RPM: "1000000",
    LIMIT_FREE_SUBGRAPH_DAILY: "1000000",
    LIMIT_FREE_DAILY_TOTAL_REQUESTS: "1000000",
  });
const logger = createLogger(settings(devnet.url));
const worker = startWorker(settings(node.url.href), { database, logger, clock: Date.now, onFatal: console.error });
const api = await startApi(settings(devnet.url), { logger, database, databaseUrl: server.url });
const path = `${api.url}/providers/${devnet.keeper.address}`;

/** What the API answers as the provider's description now. */
async function served(): Promise<unknown> {
  const { latestProfile }: { latestProfile?: { description: string } | null } = JSON.parse(
    await (await fetch(path)).text(),
  );
  return latestProfile?.description;
}

async function until(description: string): Promise<void> {
  while ((await served()) !== description) await Bun.sleep(LOOK_MS);
}

async function emit(description: string): Promise<void> {
  const profile = { description, company: "", url: "", domain: "", email: "", misc: "" };
  await send(devnet.client, { from: devnet.keeper.address, to: devnet.contract, data: encodeEditProvDetails(profile) });
}

await emit("first");
await until("first");
const times: number[] = [];
for (let block = 0; block < BLOCKS; block++) {
  // At any point between two looks at the head.
  await Bun.sleep(Math.random() * 700);
  await emit(`block ${block}`);
  const start = performance.now();
  await until(`block ${block}`);
  times.push(performance.now() - start);
}
times.sort((a, b) => a - b);
const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
console.log(
  `from a block's arrival to its event in an answer, ${BLOCKS} blocks: median ${at(0.5)} ms, p95 ${at(0.95)} ms`,
);

// The scans that the last block asked for are over when nothing is asked but by those who watch the head.
await Bun.sleep(3_000);
counted.requests = 0;
await Bun.sleep(IDLE_MS);
console.log(`an idle head costs the worker ${((counted.requests * 1_000) / IDLE_MS).toFixed(1)} RPC requests a second`);

await worker.stop();
await api.stop();
await database.close();
await server.stop();
node.stop(true);
await devnet.stop();
await rm(dataDir, { recursive: true, force: true });
process.exit(0);
