import { protocolAbi } from "@dueday/core/abi/protocol";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { createDevnetClient } from "@dueday/devnet/client";
import { send } from "@dueday/devnet/send";
import { DEVNET_CHAIN_ID, startAnvil } from "@dueday/devnet/startAnvil";
import { type Address, getAbiItem, numberToHex } from "viem";
import { startBenchDatabase } from "./support/benchDatabase";
import { createEvents } from "./support/createEvents";
import { emitterCode, emitterInput } from "./support/emitter";
import { startLogNode } from "./support/logNode";
import { runIndexer } from "./support/runIndexer";

/**
 * How fast the index is filled: `bun bench/backfill.ts`. The same 100,000 events are read from anvil with bare fetch and JSON.parse,
 * with viem's decoding, and by the indexer, which decodes and stores them. Then the indexer reads them from a node with 20 ms
 * latency, spread over 200,000 blocks. Each time is also printed as a ratio to bare fetch, and with the CPU time of the process that
 * reads, which a busy machine changes less.
 */
const BLOCKS = 2_000;
const LOGS_A_BLOCK = 50;
const EVENTS = BLOCKS * LOGS_A_BLOCK;
const SUBSCRIPTIONS = 2_000;
const SPREAD_BLOCKS = 200_000;
const LATENCY_MS = 20;
/** Blocks in one eth_getLogs of bare fetch and viem: about 5,000 events. */
const RANGE = 100;
const CONTRACT: Address = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";

const events = createEvents({ events: EVENTS, subscriptions: SUBSCRIPTIONS });
const anvil = await startAnvil({ gasLimit: 1_000_000_000n });
const client = createDevnetClient(anvil.url);
await client.setCode({ address: CONTRACT, bytecode: emitterCode });
const [from] = await client.request({ method: "eth_accounts" });
if (from === undefined) throw new Error("anvil has no account");
for (let start = 0; start < EVENTS; start += LOGS_A_BLOCK) {
  const data = emitterInput(events.slice(start, start + LOGS_A_BLOCK));
  await send(client, { from, to: CONTRACT, data, gas: 30_000_000n });
}
const head = Number(await client.getBlockNumber());
console.log(`${EVENTS} events in ${BLOCKS} anvil blocks`);

type Figures = { events: number; seconds: number; cpuSeconds: number };

async function timed(read: () => Promise<number>): Promise<Figures> {
  const start = performance.now();
  const cpuBefore = process.cpuUsage();
  const events = await read();
  const { user, system } = process.cpuUsage(cpuBefore);
  return { events, seconds: (performance.now() - start) / 1000, cpuSeconds: (user + system) / 1e6 };
}

let bareSeconds: number | undefined;

/** Prints one line, with the time as a ratio to that of the first one. */
function report(what: string, { events, seconds, cpuSeconds }: Figures, more = ""): void {
  bareSeconds ??= seconds;
  const rate = Math.round(events / seconds).toLocaleString("en");
  const ratio = (seconds / bareSeconds).toFixed(1);
  console.log(
    `  ${what.padEnd(46)} ${seconds.toFixed(2).padStart(6)} s ${rate.padStart(8)} events/s, ratio ${ratio}, CPU ${cpuSeconds.toFixed(1)} s${more}`,
  );
}

const ranges = Array.from({ length: Math.ceil(head / RANGE) }, (_, index) => index * RANGE + 1);
const filterOf = (start: number) => ({ fromBlock: start, toBlock: Math.min(head, start + RANGE - 1) });
const bare = await timed(async () => {
  let found = 0;
  for (const start of ranges) {
    const { fromBlock, toBlock } = filterOf(start);
    const filter = { address: CONTRACT, fromBlock: numberToHex(fromBlock), toBlock: numberToHex(toBlock) };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_getLogs", params: [filter] });
    const response = await fetch(anvil.url, { method: "POST", headers: { "content-type": "application/json" }, body });
    const { result }: { result: unknown[] } = JSON.parse(await response.text());
    found += result.length;
  }
  return found;
});
report("bare fetch and JSON.parse", bare);
const event = getAbiItem({ abi: protocolAbi, name: "SubLog" });
const viem = await timed(async () => {
  let found = 0;
  for (const start of ranges) {
    const { fromBlock, toBlock } = filterOf(start);
    const range = { fromBlock: BigInt(fromBlock), toBlock: BigInt(toBlock) };
    found += (await client.getLogs({ address: CONTRACT, event, ...range })).length;
  }
  return found;
});
report("viem getLogs with decoding", viem);

const server = await startBenchDatabase();
const database = connectDatabase({ url: server.url });

async function index(what: string, url: string, chainId: number): Promise<void> {
  const { peakMegabytes, ...figures } = await runIndexer({
    database,
    databaseUrl: server.url,
    url,
    chainId,
    contract: CONTRACT,
    events: EVENTS,
  });
  report(what, { events: EVENTS, ...figures }, `, peak ${Math.round(peakMegabytes)} MB`);
}

await index("the indexer, into PostgreSQL", anvil.url, DEVNET_CHAIN_ID);
await anvil.stop();
const node = startLogNode({ contract: CONTRACT, events, blocks: SPREAD_BLOCKS, latencyMs: LATENCY_MS, chainId: 8453 });
await index(`the indexer, ${SPREAD_BLOCKS} blocks, ${LATENCY_MS} ms away`, node.url, 8453);
console.log(`  ${node.counts().requests} requests to that node`);
node.stop();
await database.close();
await server.stop();
