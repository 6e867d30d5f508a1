import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import type { NodeProfile } from "@dueday/test-support/nodeProxy/nodeProfile";
import { startNodeProxy } from "@dueday/test-support/nodeProxy/startNodeProxy";
import { startWorker } from "@dueday/worker/startWorker";
import { benchConfig } from "./support/benchConfig";
import { startBenchDatabase } from "./support/benchDatabase";
import { quantile } from "./support/quantile";
import { settleBacklog } from "./support/settleBacklog";

/**
 * How long a new event takes from its block to an answer, with a worker and an API in one process, by polling and by WebSocket, on a chain
 * with a block each 200 ms, as on Base, and each 2 s: `bun bench/freshness.ts [events] [regular expression for rows]`.
 */
const EVENTS = Number(process.argv[2] ?? 60);
const WANTED = new RegExp(process.argv[3] ?? "");
/** Pause between two reads of the answer, or of the receipt. */
const POLL_MS = 5;
/** Time in which the worker learns the block interval and the provider's caps, and begins to rely on a new subscription. */
const WARM_UP_MS = 30_000;
/** A random pause of at most this length, so that an event comes at any point between two polls of the head. */
const LONGEST_PAUSE_MS = 4_000;

type Case = { name: string; blockTimeMs: number; isPushed: boolean; node?: NodeProfile };

const cases: Case[] = [
  { name: "200 ms, HTTP", blockTimeMs: 200, isPushed: false },
  {
    name: "200 ms, HTTP, ranges of 10",
    blockTimeMs: 200,
    isPushed: false,
    node: { logsRange: { blocks: 10, refusal: "-32600" } },
  },
  { name: "200 ms, WebSocket", blockTimeMs: 200, isPushed: true },
  { name: "2 s, HTTP", blockTimeMs: 2_000, isPushed: false },
  { name: "2 s, WebSocket", blockTimeMs: 2_000, isPushed: true },
];

async function measure({ name, blockTimeMs, isPushed, node }: Case): Promise<void> {
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs });
  await settleBacklog(devnet);
  const proxy = startNodeProxy(devnet.url, { saturatedBlooms: true, timestampMs: true, ...node });
  const server = await startBenchDatabase();
  const database = connectDatabase({ url: server.url });
  const chain = { chainId: DEVNET_CHAIN_ID, rpcUrl: proxy.url, contract: devnet.contract };
  const config = benchConfig(chain, {
    ...(isPushed && { [`CHAIN_${DEVNET_CHAIN_ID}_WS_URL`]: proxy.wsUrl }),
    LOG_LEVEL: "fatal",
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

  /** Resolves when the event is in a block. */
  async function emit(description: string): Promise<void> {
    const profile = { description, company: "", url: "", domain: "", email: "", misc: "" };
    const data = encodeEditProvDetails(profile);
    const { client, keeper, contract: to } = devnet;
    const transaction = { from: keeper.address, to, data };
    const hash = await client.request({ method: "eth_sendTransaction", params: [transaction] });
    const isMined = async () =>
      (await client.request({ method: "eth_getTransactionReceipt", params: [hash] })) !== null;
    while (!(await isMined())) await Bun.sleep(POLL_MS);
  }

  await emit("first");
  await until("first");
  await Bun.sleep(WARM_UP_MS);
  const times: number[] = [];
  for (let event = 0; event < EVENTS; event++) {
    await Bun.sleep(Math.random() * LONGEST_PAUSE_MS);
    await emit(`event ${event}`);
    const start = performance.now();
    await until(`event ${event}`);
    times.push(performance.now() - start);
  }
  const at = (share: number) => Math.round(quantile(times, share));
  console.log(`${name.padEnd(28)}from a block to its event in an answer: median ${at(0.5)} ms, p95 ${at(0.95)} ms`);
  await worker.stop();
  await api.stop();
  await database.close();
  await server.stop();
  await proxy.stop();
  await devnet.stop();
}

for (const each of cases.filter(({ name }) => WANTED.test(name))) await measure(each);
process.exit(0);
