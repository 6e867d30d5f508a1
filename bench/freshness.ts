import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { connectDatabase } from "@dueday/db/connectDatabase";
import type { DevnetClient } from "@dueday/devnet/client";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { startWorker } from "@dueday/worker/startWorker";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";
import { median } from "./support/wrk";

/**
 * How long a new event takes from its block's arrival to an answer, with a worker and an API on a devnet, by polling and by WebSocket, also
 * as a ratio to one request to the node in the same run; and how many requests a second the worker sends while no block arrives:
 * `bun bench/freshness.ts [blocks]`.
 */
const BLOCKS = Number(process.argv[2] ?? 60);
const IDLE_MS = 10_000;
/** Pause between two reads of the answer. */
const POLL_MS = 5;
/** Until a new subscription is relied on, and until the scans that the last block requested are over. */
const SETTLED_MS = 6_000;

async function measure(transport: "HTTP polling" | "WebSocket"): Promise<void> {
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
  const node = startNodeProxy(devnet.url);
  const server = await startBenchDatabase();
  const database = connectDatabase({ url: server.url });
  const config = parseConfig({
    PORT: "0",
    CHAINS: String(DEVNET_CHAIN_ID),
    [`CHAIN_${DEVNET_CHAIN_ID}_RPC_URLS`]: node.url,
    [`CHAIN_${DEVNET_CHAIN_ID}_CONTRACT`]: devnet.contract,
    ...(transport === "WebSocket" ? { [`CHAIN_${DEVNET_CHAIN_ID}_WS_URL`]: devnet.url.replace("http", "ws") } : {}),
    LOG_LEVEL: "fatal",
    ...UNLIMITED,
  });
  const logger = createLogger(config);
  const worker = startWorker(config, { database, logger, clock: Date.now, onFatal: console.error });
  const api = await startApi(config, { logger, database, databaseUrl: server.url });
  const path = `${api.url}/providers/${devnet.keeper.address}`;

  /** The provider's description as the API answers it now. */
  async function served(): Promise<unknown> {
    const { latestProfile }: { latestProfile?: { description: string } | null } = JSON.parse(
      await (await fetch(path)).text(),
    );
    return latestProfile?.description;
  }

  async function until(description: string): Promise<void> {
    while ((await served()) !== description) await Bun.sleep(POLL_MS);
  }

  async function emit(description: string): Promise<void> {
    const profile = { description, company: "", url: "", domain: "", email: "", misc: "" };
    const data = encodeEditProvDetails(profile);
    await send(devnet.client, { from: devnet.keeper.address, to: devnet.contract, data });
  }

  await emit("first");
  await until("first");
  await Bun.sleep(SETTLED_MS);
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
  const ratio = at(0.5) / (await nodeRequestMs(devnet.client));
  await Bun.sleep(SETTLED_MS);
  const before = node.exchanges.length;
  await Bun.sleep(IDLE_MS);
  const idle = ((node.exchanges.length - before) * 1_000) / IDLE_MS;
  console.log(
    `${transport}: from a block's arrival to its event in an answer, ${BLOCKS} blocks: median ${at(0.5)} ms, p95 ${at(0.95)} ms; ` +
      `ratio of the median to one request to the node: ${ratio.toFixed(0)}; ` +
      `without new blocks the processes send ${idle.toFixed(1)} RPC requests a second`,
  );
  await worker.stop();
  await api.stop();
  await database.close();
  await server.stop();
  await node.stop();
  await devnet.stop();
}

/** Median duration of one request to the node. */
async function nodeRequestMs(client: DevnetClient): Promise<number> {
  const durations: number[] = [];
  for (let round = 0; round < BLOCKS; round++) {
    const start = performance.now();
    await client.getBlockNumber({ cacheTime: 0 });
    durations.push(performance.now() - start);
  }
  return median(durations);
}

await measure("HTTP polling");
await measure("WebSocket");
process.exit(0);
