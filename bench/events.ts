import { startApi } from "@dueday/api/startApi";
import { createLogger } from "@dueday/config/createLogger";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { appendTestEvents } from "@dueday/db/test/testEvents";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startWorker } from "@dueday/worker/startWorker";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { benchConfig } from "./support/benchConfig";
import { startBenchDatabase } from "./support/benchDatabase";
import { BENCH_CHAIN_ID, BENCH_CONTRACT, writeDueSnapshot } from "./support/dueSnapshot";
import { openStreams, StreamReport } from "./support/openStreams";
import { quantile } from "./support/quantile";
import { serveBenchApi } from "./support/serveBenchApi";
import { type Server, startServer, stopServers } from "./support/wrk";

/**
 * How long an event takes from its block to a stream, beyond the follower's own delay, with a worker and an API on a devnet; and what
 * 1,000 open streams cost one API process: memory, and the time of a polled read beside 5,000 events a second in total.
 *
 * Writing an event to 1,000 streams takes 12 ms of the API's time, and receiving it takes as much of the reader's. In one burst these two
 * processes hold both cores, and the slowest hundredth of polled reads waits until the scheduler takes a core from them (2 to 4 ms; with
 * `chrt -r` for the API and the client, the 99th percentile is 0.98 of that without streams). So the API writes to twenty streams at a time,
 * a millisecond apart, 60 ms in all. Beside twenty other runnable processes, in five runs of each in turn, the 95th and 99th percentiles
 * beside the streams are 0.38 and 0.37 of those without streams (medians); in one burst they are 2.0 and 2.5 times those without streams.
 */

const BLOCKS = 100;
const STREAMS = 1_000;
/** Each event is sent to every stream. */
const EVENTS_A_SECOND = 5.2;
const SECONDS = 12;
const PATH = "/subscriptions/due";

async function benchLatency(): Promise<void> {
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
  const server = await startBenchDatabase();
  const database = connectDatabase({ url: server.url });
  const chain = { chainId: DEVNET_CHAIN_ID, rpcUrl: devnet.url, contract: devnet.contract };
  const config = benchConfig(chain, { SCAN_INTERVAL_MS: "60000", LOG_LEVEL: "error" });
  const logger = createLogger(config);
  const worker = startWorker(config, { database, logger, clock: Date.now, onFatal: console.error });
  const api = await startApi(config, { logger, database, databaseUrl: server.url });
  const url = `${api.url}/events?types=provider.updated`;
  const response = await fetch(url, { headers: { Accept: "text/event-stream" } });
  /** Unix milliseconds of each event's arrival at the stream, by its profile's description. */
  const arrivals = new Map<string, number>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      for (const [, name = ""] of decoder.decode(chunk).matchAll(/"profile":\{"description":"([^"]*)"/g)) {
        arrivals.set(name, Date.now());
      }
    }
  })().catch(() => {});
  const arrival = async (name: string) => {
    for (;;) {
      const at = arrivals.get(name);
      if (at !== undefined) return at;
      await Bun.sleep(1);
    }
  };
  const emit = async (description: string) => {
    const profile = { description, company: "", url: "", domain: "", email: "", misc: "" };
    await send(devnet.client, {
      from: devnet.keeper.address,
      to: devnet.contract,
      data: encodeEditProvDetails(profile),
    });
    return Date.now();
  };
  await emit("first");
  await arrival("first");
  const total: number[] = [];
  for (let block = 0; block < BLOCKS; block++) {
    await Bun.sleep(Math.random() * 300);
    const mined = await emit(`block ${block}`);
    total.push((await arrival(`block ${block}`)) - mined);
  }
  const rows = await database.sql<{ name: string; at: number }[]>`
    select body::json->'data'->'profile'->>'description' as name, (extract(epoch from written_at) * 1000)::float8 as at
    from outbox where type = 'provider.updated'`;
  // `written_at` is taken when the follower has the block's logs, before they are stored.
  const beyond = rows
    .filter(({ name }) => name.startsWith("block"))
    .map(({ name, at }) => (arrivals.get(name) ?? 0) - at);
  console.log(
    `events: from a mined block to a stream, ${BLOCKS} blocks: median ${quantile(total, 0.5)} ms, p99 ${quantile(total, 0.99)} ms; ` +
      `beyond the follower: median ${quantile(beyond, 0.5).toFixed(0)} ms, p99 ${quantile(beyond, 0.99).toFixed(0)} ms (required: below 250 ms)`,
  );
  await worker.stop();
  await api.stop();
  await database.close();
  await server.stop();
  await devnet.stop();
}

async function benchStreams(): Promise<void> {
  const postgres = await startBenchDatabase();
  await writeDueSnapshot(postgres.url);
  const database = connectDatabase({ url: postgres.url });
  const api = await startServer(import.meta.path, ["api", postgres.url], postgres.folder);
  const servers = [api];
  const scope = { chainId: BENCH_CHAIN_ID, contract: BENCH_CONTRACT };
  try {
    await readFor(api, 1);
    const before = await readFor(api, 4);
    // In a separate process: otherwise the measured reads would wait while this one receives a thousand events.
    const readers = await startServer(import.meta.path, ["readers", api.url], postgres.folder);
    servers.push(readers);
    await Bun.sleep(1_000);
    let written = 0;
    const write = () => void appendTestEvents(database, scope, { first: ++written, count: 1 });
    write();
    const writer = setInterval(write, 1_000 / EVENTS_A_SECOND);
    const startedAt = performance.now();
    const during = await readFor(api, SECONDS);
    clearInterval(writer);
    const seconds = (performance.now() - startedAt) / 1000;
    await Bun.sleep(1_000);
    const { events: received } = Value.Parse(
      Type.Pick(StreamReport, ["events"]),
      await (await fetch(readers.url)).json(),
    );
    const megabytes = await residentMegabytes(api);
    console.log(
      `events: ${STREAMS} open streams, ${Math.round(received / seconds)} events a second in total ` +
        `(${received} of ${written * STREAMS}): ${megabytes.toFixed(0)} MB resident (required: below 250)`,
    );
    const ratio = (share: number) => (quantile(during, share) / quantile(before, share)).toFixed(2);
    console.log(
      `events: GET ${PATH} without streams: median ${quantile(before, 0.5).toFixed(2)} ms, p99 ${quantile(before, 0.99).toFixed(2)} ms; ` +
        `beside them ${quantile(during, 0.5).toFixed(2)} and ${quantile(during, 0.99).toFixed(2)} ms, ` +
        `ratio ${ratio(0.5)} and ${ratio(0.99)} (required: at most 1.5)`,
    );
  } finally {
    await database.close();
    await stopServers(servers);
    await postgres.stop();
  }
}

/** Durations of polled reads in milliseconds, with 5 ms between two reads. */
async function readFor({ url }: Server, seconds: number): Promise<number[]> {
  const durations: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const start = performance.now();
    await (await fetch(url + PATH)).arrayBuffer();
    durations.push(performance.now() - start);
    await Bun.sleep(5);
  }
  return durations;
}

async function residentMegabytes({ process: { pid } }: Server): Promise<number> {
  const text = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
}

if (import.meta.main) {
  const [role, argument = "", addressFile = ""] = process.argv.slice(2);
  if (role === "api")
    await Bun.write(addressFile, await serveBenchApi(argument, { TRUSTED_PROXIES: "127.0.0.0/8", LOG_LEVEL: "error" }));
  else if (role === "readers") await Bun.write(addressFile, await openStreams(argument, STREAMS));
  else {
    await benchLatency();
    await benchStreams();
    process.exit(0);
  }
}
