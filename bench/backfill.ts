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
import { databaseUse } from "./support/processUse";
import { runIndexer } from "./support/runIndexer";

/**
 * How fast the index is filled: `bun bench/backfill.ts`. The same 100,000 events are read from anvil with bare fetch and JSON.parse,
 * with viem's decoding, and by the indexer, which decodes and stores them. Then the indexer reads them from a node with 20 ms
 * latency, spread over 200,000 blocks. Each time is also printed as a ratio to bare fetch, and with the CPU time of the process that
 * reads, which a busy machine changes less.
 *
 * CPU time of a backfill of 100,000 events from anvil by part, in seconds on a quiet machine. For comparison, viem's `getLogs` takes 4.4 to 4.8 in
 * its own process, and 0.6 in the node.
 *
 * | part                                                    | seconds    |
 * | ------------------------------------------------------- | ---------- |
 * | anvil, on the same two cores                            | 0.5        |
 * | worker                                                  | 1.5 to 1.6 |
 * | PostgreSQL, without the statistics of the planner (0.2) | 2.6 to 2.8 |
 * | elapsed, start to last event (10 transactions)          | 2.6 to 2.8 |
 *
 * A batch is copied while the previous one is applied. It takes all logs that arrive until then, and waits up to one second for 12,000 logs.
 * Block hashes, terms and receipts are copied with their logs, so that applying a batch needs few answers of the database: each answer waits while
 * this process decodes. The planner's statistics are computed when all events are served, outside of the measured time. The rate is 1.54 to 1.57
 * times that of viem's `getLogs` in five runs, and 1.56 to 1.71 times with Debian's PostgreSQL 15 in its own settings (`BENCH_DATABASE_URL`): the
 * embedded one is compiled for size. The target is 1.4. With COPY in text format a backfill takes 5 % longer.
 *
 * Beside other work the CPU time grows, because processes lose their caches: on two cores with twenty runnable processes viem takes 5.0 to 5.9, the
 * worker 1.7 to 2.3 and PostgreSQL 3.6 to 5.0, together 1.16 to 1.24 of viem's CPU time, at 2.2 to 2.3 times its rate. By PostgreSQL's own count
 * (`log_statement_stats`), of 3.6 seconds COPY of SubLogs takes 1.3, memberships 0.8, money 0.8, counters 0.35, counts of subscriptions 0.15, and
 * the rest 0.2; transactions of 3 seconds instead of 1 second save 0.15.
 *
 * PostgreSQL alone, by batches: the derived tables of all logs take 2.1 seconds of CPU time in batches of 2,500 logs, 1.5 in batches of 5,000,
 * 1.2 of 10,000 and 1.0 of 20,000, and in batches of 12,000 money takes 31 %, memberships 31 %, counters 24 % and subscriptions 14 %. COPY takes
 * 0.9 (1.07 in its text format): 0.13 without an index, 0.12 for the primary key, and 0.22 for each of the indexes by subscription, provider and
 * subscriber, in any order of their columns. The indexes would take less if they were built after the first backfill. They are not, because all
 * chains of a database share the table, and its events are served while it is filled. Ids and addresses in keys are bytes, except the contract's
 * address, and the embedded PostgreSQL compares text by its bytes. The kernel takes 0.2 to 0.3, with 125 MB of WAL, half of it for index entries.
 *
 * In the remaining time one of the two cores is idle: 0.2 seconds at the start, before the program is compiled, and 0.2 at the end, while the derived
 * tables of the last batch are written. These made no measurable difference: `shared_buffers`, `wal_buffers`, `wal_init_zero`,
 * `wal_level`, `io_method`, `autovacuum`, the background and WAL writers, hash aggregates instead of sorts, transactions of 6,000 or 8,000 logs,
 * pieces of COPY from 64 kB to 1 MB, a fill factor of 50 for tables that are updated, secondary indexes without deduplication. Looking memberships
 * up by key, one by one, costs 0.03 more at this size; an insert for new and an update for known ones in place of `on conflict` saves 0.02. The
 * embedded PostgreSQL has no JIT. The worker takes 240 to 320 MB at its peak, and 410 to 440 MB from the node that is 20 ms away and has
 * two events in a block: two batches are in memory besides the logs that wait.
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

/** Prints one line, with the time as a ratio to the time of the first line. */
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

/** Prints the time of the indexer, and returns it with the CPU time of PostgreSQL as well. */
async function index(what: string, url: string, chainId: number): Promise<Omit<Figures, "events">> {
  const before = await databaseUse(database);
  const { peakMegabytes, ...figures } = await runIndexer({
    database,
    databaseUrl: server.url,
    url,
    chainId,
    contract: CONTRACT,
    events: EVENTS,
  });
  report(what, { events: EVENTS, ...figures }, `, peak ${Math.round(peakMegabytes)} MB`);
  const ofDatabase = (await databaseUse(database)).cpuSeconds - before.cpuSeconds;
  console.log(`    PostgreSQL's CPU ${ofDatabase.toFixed(1)} s`);
  return { ...figures, cpuSeconds: figures.cpuSeconds + ofDatabase };
}

const indexed = await index("the indexer, into PostgreSQL", anvil.url, DEVNET_CHAIN_ID);
console.log(
  `    ${(viem.seconds / indexed.seconds).toFixed(2)} times the rate of viem (target: 1.4), ` +
    `${(indexed.cpuSeconds / viem.cpuSeconds).toFixed(2)} of its CPU time, PostgreSQL's included (target: 0.9)`,
);
await anvil.stop();
const node = startLogNode({ contract: CONTRACT, events, blocks: SPREAD_BLOCKS, latencyMs: LATENCY_MS, chainId: 8453 });
await index(`the indexer, ${SPREAD_BLOCKS} blocks, ${LATENCY_MS} ms away`, node.url, 8453);
console.log(`  ${node.counts().requests} requests to that node`);
node.stop();
const [size] = await database.sql<{ bytes: number }[]>`select pg_database_size(current_database())::float8 as bytes`;
console.log(`  ${((size?.bytes ?? 0) / (2 * EVENTS)).toFixed(0)} bytes of database an event`);
await database.close();
await server.stop();
