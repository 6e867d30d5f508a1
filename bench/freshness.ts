import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startWorker } from "@dueday/worker/startWorker";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";
import { median } from "./support/wrk";

/**
 * How long a new event takes from its block's arrival to an answer, with a worker and an API on a devnet, also as a ratio to one
 * request to the node in the same run; and how many requests a second the worker sends while no block arrives:
 * `bun bench/freshness.ts [blocks]`.
 */
const BLOCKS = Number(process.argv[2] ?? 60);
const IDLE_MS = 10_000;
/** Pause between two reads of the answer. */
const POLL_MS = 5;

const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
const counted = { requests: 0 };
/** Forwards requests to the devnet and counts them. */
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
const server = await startBenchDatabase();
const database = connectDatabase({ url: server.url });

const settings = (rpcUrl: string) =>
  parseConfig({
    PORT: "0",
    CHAINS: String(DEVNET_CHAIN_ID),
    [`CHAIN_${DEVNET_CHAIN_ID}_RPC_URLS`]: rpcUrl,
    [`CHAIN_${DEVNET_CHAIN_ID}_CONTRACT`]: devnet.contract,
    SCAN_INTERVAL_MS: "60000",
    LOG_LEVEL: "error",
    ...UNLIMITED,
  });
const logger = createLogger(settings(devnet.url));
const worker = startWorker(settings(node.url.href), { database, logger, clock: Date.now, onFatal: console.error });
const api = await startApi(settings(devnet.url), { logger, database, databaseUrl: server.url });
const path = `${api.url}/providers/${devnet.keeper.address}`;

/** The provider's description as the API answers it now. */
async function served(): Promise<unknown> {
  const { latestProfile }: { latestProfile?: { description: string } | null } = JSON.parse(
    await (await fetch(path)).text(),
  );
  return latestProfile?.description;
}

/** Median duration of one request to the node. */
async function nodeRequestMs(): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < BLOCKS; round++) {
    const start = performance.now();
    await devnet.client.getBlockNumber({ cacheTime: 0 });
    durations.push(performance.now() - start);
  }
  return median(durations);
}

async function until(description: string): Promise<void> {
  while ((await served()) !== description) await Bun.sleep(POLL_MS);
}

async function emit(description: string): Promise<void> {
  const profile = { description, company: "", url: "", domain: "", email: "", misc: "" };
  await send(devnet.client, { from: devnet.keeper.address, to: devnet.contract, data: encodeEditProvDetails(profile) });
}

await emit("first");
await until("first");
const times: number[] = [];
for (let block = 0; block < BLOCKS; block++) {
  // At any point between two polls of the head.
  await Bun.sleep(Math.random() * 700);
  await emit(`block ${block}`);
  const start = performance.now();
  await until(`block ${block}`);
  times.push(performance.now() - start);
}
times.sort((a, b) => a - b);
const at = (share: number) => Math.round(times[Math.floor(times.length * share)] ?? 0);
console.log(
  `from a block's arrival to its event in an answer, ${BLOCKS} blocks: median ${at(0.5)} ms, p95 ${at(0.95)} ms; ` +
    `ratio of the median to one request to the node: ${(at(0.5) / (await nodeRequestMs())).toFixed(0)}`,
);

// After this time the scans that the last block triggered are over, and only the watch of the head sends requests.
await Bun.sleep(3_000);
counted.requests = 0;
await Bun.sleep(IDLE_MS);
console.log(
  `without new blocks the worker sends ${((counted.requests * 1_000) / IDLE_MS).toFixed(1)} RPC requests a second`,
);

await worker.stop();
await api.stop();
await database.close();
await server.stop();
node.stop(true);
await devnet.stop();
process.exit(0);
