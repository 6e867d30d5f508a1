import { join } from "node:path";
import { encodeEditProvDetails } from "@dueday/core/calldata/encodeEditProvDetails";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { freePort } from "@dueday/db/embedded/freePort";
import { demo } from "@dueday/devnet/scenarios/demo";
import { send } from "@dueday/devnet/send";
import { DEVNET_CHAIN_ID } from "@dueday/devnet/startAnvil";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ensureProgram, programs } from "@dueday/test-support/ensureProgram";
import { startRedis } from "@dueday/test-support/startRedis";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Value } from "@sinclair/typebox/value";
import { startProxy } from "../test/e2e/startProxy";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";
import { BENCH_CONTRACT } from "./support/dueSnapshot";
import { openStreams, StreamReport } from "./support/openStreams";
import { databaseUse, type ProcessUse, processUse } from "./support/processUse";
import { quantile } from "./support/quantile";
import { serveChain } from "./support/scaleServers";
import { startServer } from "./support/wrk";

/**
 * Four API and two worker processes with PostgreSQL and Redis behind nginx on one machine, as in docs/scaling.md: `bun bench/scaleOut.ts
 * [streams] [seconds] [subscriptions]`. They serve two chains: a devnet, whose events go to all streams, and a contract with a million
 * subscriptions (`bigChain`), of which one after another is cancelled, so that the workers go on scanning. Prints what each part uses meanwhile, and the
 * time of polled reads of both through nginx. No process may hold more streams than `eventStreams.mostOfProcess`. The exit code is 1 where a
 * stream lacks an event, or a read fails.
 */
const APIS = ["127.0.0.11", "127.0.0.12", "127.0.0.13", "127.0.0.14"];
const WORKERS = 2;
/** As many as the machine has cores. A stream takes two file descriptors of a process, and many systems allow 20,000. */
const PROXY_PROCESSES = 2;
const STREAMS = Number(process.argv[2] ?? 10_000);
const SECONDS = Number(process.argv[3] ?? 20);
const SUBSCRIPTIONS = Number(process.argv[4] ?? 1_000_000);
/** The longest wait until an API serves the first scan of a chain. */
const SCAN_MS = 300_000;
const BLOCK_MS = 1_000;
const READ_EVERY_MS = 5;
const PATH = `/remit/readiness?chainId=${DEVNET_CHAIN_ID}`;
/** Chain id of the contract with a million subscriptions. */
const BOOK_CHAIN_ID = 8453;
const BOOK_PATH = `/subscriptions/due?chainId=${BOOK_CHAIN_ID}`;
/** `skip` of the pages that are read is below this number. */
const DEEPEST = 5_000;
const ROOT = join(import.meta.dir, "..");

if (import.meta.main) {
  const [role, argument = "", addressFile = ""] = process.argv.slice(2);
  if (role === "book") await Bun.write(addressFile, await serveChain(argument));
  else if (role === "readers") {
    const [url = "", count] = argument.split(" ");
    await Bun.write(
      addressFile,
      await openStreams(url, Number(count), `/events?types=provider.updated&chainId=${DEVNET_CHAIN_ID}`),
    );
  } else process.exit((await run()) ? 0 : 1);
}

async function run(): Promise<boolean> {
  const nginx = ensureProgram(programs.nginx);
  if (nginx === null) throw new Error("nginx is not on the PATH");
  const postgres = await startBenchDatabase();
  const redis = await startRedis();
  const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000), blockTimeMs: BLOCK_MS });
  const book = await startServer(
    import.meta.path,
    ["book", `${SUBSCRIPTIONS} spread ${BOOK_CHAIN_ID}`],
    postgres.folder,
  );
  const port = await freePort();
  const proxy = await startProxy({
    program: nginx,
    addresses: APIS,
    port,
    inFront: "127.0.0.1",
    connections: 32_768,
    processes: PROXY_PROCESSES,
  });
  const database = connectDatabase({ url: postgres.url });
  const common = {
    ...process.env,
    DATABASE_URL: postgres.url,
    REDIS_URL: `unix://${redis.path}`,
    CHAINS: `${DEVNET_CHAIN_ID},${BOOK_CHAIN_ID}`,
    [`CHAIN_${DEVNET_CHAIN_ID}_RPC_URLS`]: devnet.url,
    [`CHAIN_${DEVNET_CHAIN_ID}_CONTRACT`]: devnet.contract,
    [`CHAIN_${BOOK_CHAIN_ID}_RPC_URLS`]: book.url,
    [`CHAIN_${BOOK_CHAIN_ID}_CONTRACT`]: BENCH_CONTRACT,
    TRUSTED_PROXIES: "127.0.0.0/8",
    LOG_LEVEL: "error",
    ...UNLIMITED,
  };
  const start = (program: string, env: Record<string, string>) =>
    Bun.spawn([process.execPath, join(ROOT, program)], {
      env: { ...common, ...env },
      stdio: ["ignore", "ignore", "inherit"],
    });
  const workers = Array.from({ length: WORKERS }, () => start("apps/worker/src/main.ts", { PORT: "0" }));
  const apis = APIS.map((HOST) => start("apps/api/src/main.ts", { HOST, PORT: String(port) }));
  const children = [...workers, ...apis, book.process];
  try {
    for (const host of APIS)
      for (const path of [PATH, BOOK_PATH])
        await waitUntil(`${host} to serve ${path}`, () => servesScan(`http://${host}:${port}${path}`), SCAN_MS);
    const alone = await readFor(proxy.url, SECONDS / 2);
    const readers = await startServer(import.meta.path, ["readers", `${proxy.url} ${STREAMS}`], postgres.folder);
    children.push(readers.process);
    const parts = {
      nginx: [proxy.pid],
      "an API (of 4)": apis.map(({ pid }) => pid),
      "the workers": workers.map(({ pid }) => pid),
    };
    const all = Object.entries({ ...parts, "the reader of the streams": [readers.process.pid] });
    const measure = async (): Promise<Record<string, ProcessUse[]>> => ({
      ...Object.fromEntries(
        await Promise.all(all.map(async ([name, pids]) => [name, await Promise.all(pids.map(processUse))])),
      ),
      PostgreSQL: [await databaseUse(database)],
    });
    const before = await measure();
    const reads = readFor(proxy.url, SECONDS);
    let emitted = 0;
    for (const end = performance.now() + SECONDS * 1_000; performance.now() < end; emitted++) {
      const profile = { description: String(Date.now()), company: "", url: "", domain: "", email: "", misc: "" };
      await send(devnet.client, {
        from: devnet.keeper.address,
        to: devnet.contract,
        data: encodeEditProvDetails(profile),
      });
      await fetch(new URL("/cancel", book.url));
    }
    const beside = await reads;
    await waitUntil(
      "the last event",
      async () => (await reportOf(readers.url)).events >= emitted * STREAMS,
      10_000,
    ).catch(() => {});
    const report = await reportOf(readers.url);
    const [connections] = await database.sql<{ count: number }[]>`
      select count(*)::int as count from pg_stat_activity where backend_type = 'client backend'`;
    console.log(
      `scaleOut: ${STREAMS} streams behind nginx, ${emitted} events in ${SECONDS} s: ${report.events} of ${emitted * STREAMS} arrived; from the send of ` +
        `a transaction to a stream, with blocks of ${BLOCK_MS} ms: median ${report.median} ms, p99 ${report.p99} ms`,
    );
    for (const [name, now] of Object.entries(await measure())) {
      console.log(`  ${name.padEnd(28)} ${describeUse(before[name] ?? [], now, name.includes("an API"))}`);
    }
    const ms = (times: readonly number[], share: number) => quantile(times, share).toFixed(1);
    console.log(`  ${connections?.count} connections to PostgreSQL`);
    console.log(
      `  polled reads through nginx: median ${ms(alone, 0.5)} ms, p99 ${ms(alone, 0.99)} ms; beside the streams ${ms(beside, 0.5)} and ${ms(beside, 0.99)} ms`,
    );
    return report.events === emitted * STREAMS;
  } finally {
    for (const child of children) child.kill();
    await Promise.all(children.map(({ exited }) => exited));
    await database.close();
    await proxy.stop();
    await devnet.stop();
    await redis.stop();
    await postgres.stop();
  }
}

function describeUse(before: readonly ProcessUse[], now: readonly ProcessUse[], isMean: boolean): string {
  const sum = (uses: readonly ProcessUse[], of: keyof ProcessUse) => uses.reduce((total, each) => total + each[of], 0);
  const share = isMean ? now.length : 1;
  const cores = (sum(now, "cpuSeconds") - sum(before, "cpuSeconds")) / SECONDS / share;
  return `${cores.toFixed(3)} cores, ${(sum(now, "residentMb") / share).toFixed(0)} MB`;
}

async function servesScan(url: string): Promise<boolean> {
  try {
    const answer = await (await fetch(url)).json();
    return Object(Object(answer).asOf).source === "snapshot";
  } catch {
    // The API does not listen yet.
    return false;
  }
}

async function reportOf(url: string): Promise<StreamReport> {
  return Value.Parse(StreamReport, await (await fetch(url)).json());
}

/** Durations of polled reads in milliseconds, one after another: readiness of the one chain, and a page of what is due on the other. */
async function readFor(url: string, seconds: number): Promise<number[]> {
  const durations: number[] = [];
  for (const end = performance.now() + seconds * 1000; performance.now() < end; ) {
    const path = durations.length % 2 === 0 ? PATH : `${BOOK_PATH}&skip=${(durations.length * 331) % DEEPEST}`;
    const started = performance.now();
    const response = await fetch(url + path);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`GET ${path} answered ${response.status}`);
    durations.push(performance.now() - started);
    await Bun.sleep(READ_EVERY_MS);
  }
  return durations;
}
