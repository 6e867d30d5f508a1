import { connectDatabase } from "@dueday/db/connectDatabase";
import type { Address } from "viem";
import { startBenchDatabase } from "./support/benchDatabase";
import { createEvents } from "./support/createEvents";
import { startLogNode } from "./support/logNode";
import { runIndexer } from "./support/runIndexer";

/**
 * How long the index of a whole chain takes at a provider that caps ranges: `bun bench/wideBackfill.ts [blocks of a range]`. 100,000 events
 * are spread over 21.8 million blocks, on a node 100 ms away. The refusals name no number, so the cap has to be learned.
 */
const BLOCKS = 21_800_000;
const EVENTS = 100_000;
const SUBSCRIPTIONS = 2_000;
const LATENCY_MS = 100;
const CAP = Number(process.argv[2] ?? 10_000);
const CONTRACT: Address = "0xFaF5fc2f77b21BC188f492b827D366B03a07c61f";

const server = await startBenchDatabase();
const database = connectDatabase({ url: server.url });
const events = createEvents({ events: EVENTS, subscriptions: SUBSCRIPTIONS });
const node = startLogNode({
  contract: CONTRACT,
  events,
  blocks: BLOCKS,
  latencyMs: LATENCY_MS,
  chainId: 8453,
  widestRange: CAP,
});
const { seconds, peakMegabytes } = await runIndexer({
  database,
  databaseUrl: server.url,
  url: node.url,
  chainId: 8453,
  contract: CONTRACT,
  events: EVENTS,
});
const { requests, ranges, refused } = node.counts();
console.log(
  `${EVENTS} events in ${BLOCKS} blocks, ranges of at most ${CAP}, ${LATENCY_MS} ms away: ${(seconds / 60).toFixed(1)} minutes, ` +
    `${requests} requests, ${ranges} for logs, of which ${refused} (${((100 * refused) / ranges).toFixed(2)} %) were refused, ` +
    `peak ${Math.round(peakMegabytes)} MB`,
);
node.stop();
await database.close();
await server.stop();
