import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";
import { compareDueDays } from "@dueday/test-support/bigChain/compareDueDays";
import { directDays } from "@dueday/test-support/bigChain/directDays";
import type { BookShape } from "@dueday/test-support/bigChain/fillBook";
import { BOOK_MAX_REMITS } from "@dueday/test-support/bigChain/startBookChain";
import { startBenchDatabase } from "./support/benchDatabase";
import { median, quantile } from "./support/quantile";
import { type ScanFigures, serveChain, serveDue, serveScans } from "./support/scaleServers";
import { type Server, startServer, stopServers } from "./support/wrk";

/**
 * What a contract of 10,000, 100,000 or a million subscriptions costs, all due today or spread over all frequencies and days:
 * `bun bench/scale.ts [sizes]`. One process is the chain (`bigChain`), one runs the jobs `scan_remit` and `scan_due` of a worker on it, from nothing
 * and after one subscription was cancelled, and one is an API that answers polled reads over all days, frequencies and pages while the scans
 * go on. The sums of all days and the pages are compared with `directDays`. The exit code is 1 where one differs, or a bar is missed.
 */

const SHAPES: readonly BookShape[] = ["day", "spread"];
const READS = 5_000;
const AT_ONCE = 4;
const ROUNDS = 3;
const DAYS = FORECAST_DAYS + 1;
/** Entries of the longest page. */
const PAGE = 200;
/** Bars in milliseconds, bytes of write-ahead log, and megabytes: for a million subscriptions that are due on one day, on a quiet machine. */
const BARS = {
  readinessMs: 20_000,
  firstMs: 60_000,
  changeMs: 2_000,
  changeBytes: 1_000_000,
  /** Longest turn of the worker: after 3 s in which it does not renew its lease, it loses its chain. */
  turnMs: 1_000,
  apiMb: 160,
  workerMb: 900,
  p99: 10,
  p999: 50,
};
/** The places of the first `count` subscriptions that are cancelled. */
const cancelledPlaces = (count: number) => new Set(Array.from({ length: count }, (_, index) => index + 1));

/** Measures one row with a chain, a database, a process that scans, and one that answers. Returns the differences and the bars that were missed. */
async function measure(size: number, shape: BookShape): Promise<string[]> {
  const postgres = await startBenchDatabase();
  const servers: Server[] = [];
  const start = async (role: string, argument: string) => {
    const server = await startServer(import.meta.path, [role, argument], postgres.folder);
    servers.push(server);
    return server;
  };
  try {
    const chain = await start("chain", `${size} ${shape}`);
    const scans = await start("scans", `${chain.url} ${postgres.url}`);
    const first = await scan(scans);
    await cancelOne(chain);
    const change = await scan(scans);
    const workerMb = await residentMb(scans.process.pid, "VmHWM");
    const api = await start("api", postgres.url);
    const book = bookOf(size, shape);
    const faults = await compareDueDays(
      api.url,
      book.today,
      directDays({ ...book, cancelled: cancelledPlaces(1) }, DAYS),
    );
    const stop = scanOn(chain, scans);
    const rounds: number[][] = [];
    for (let round = 0; round < ROUNDS; round++) rounds.push(await read(api.url));
    await stop();
    const apiMb = await residentMb(api.process.pid, "VmRSS");
    const [p99, p999] = [0.99, 0.999].map((share) => median(rounds.map((times) => quantile(times, share))));
    const figures: Record<keyof typeof BARS, number> = {
      readinessMs: first.readinessMs,
      firstMs: first.dueMs,
      changeMs: change.dueMs,
      changeBytes: change.walBytes,
      turnMs: Math.max(first.turnMs, change.turnMs),
      apiMb,
      workerMb,
      p99: p99 ?? 0,
      p999: p999 ?? 0,
    };
    print(size, shape, { first, change, figures });
    const names = shape === "day" ? (Object.keys(BARS) as (keyof typeof BARS)[]) : [];
    const missed = names.filter((name) => figures[name] > BARS[name]);
    return [...faults, ...missed.map((name) => `${name} ${figures[name].toFixed(1)} is above ${BARS[name]}`)].map(
      (fault) => `${size} ${shape}: ${fault}`,
    );
  } finally {
    await stopServers(servers);
    await postgres.stop();
  }
}

function bookOf(size: number, shape: BookShape) {
  return { size, shape, today: dayNumber(Math.floor(Date.now() / 1000)), maxRemits: BOOK_MAX_REMITS };
}

type Row = { first: ScanFigures; change: ScanFigures; figures: Record<keyof typeof BARS, number> };

function print(size: number, shape: BookShape, { first, change, figures }: Row): void {
  const seconds = (ms: number, cpuMs: number) => `${(ms / 1000).toFixed(2)} s (CPU ${(cpuMs / 1000).toFixed(2)} s)`;
  const kb = (bytes: number) => `${Math.round(bytes / 1024)} kB`;
  console.log(
    `${String(size).padStart(9)} ${shape.padEnd(6)} from nothing: readiness ${(first.readinessMs / 1000).toFixed(2)} s, plan ${seconds(first.remitMs, first.remitCpuMs)}, due scan ${seconds(first.dueMs, first.dueCpuMs)}, ${kb(first.walBytes)}; ` +
      `after one change: plan ${seconds(change.remitMs, change.remitCpuMs)}, due scan ${seconds(change.dueMs, change.dueCpuMs)}, ${kb(change.walBytes)}; ` +
      `worker ${figures.workerMb.toFixed(0)} MB, longest turn ${figures.turnMs.toFixed(0)} ms; API after ${READS * ROUNDS} reads ${figures.apiMb.toFixed(0)} MB, p99 ${figures.p99.toFixed(1)} ms, p99.9 ${figures.p999.toFixed(1)} ms`,
  );
}

async function scan({ url }: Server): Promise<ScanFigures> {
  return (await fetch(url, { method: "POST", signal: AbortSignal.timeout(900_000) })).json() as Promise<ScanFigures>;
}

async function cancelOne({ url }: Server): Promise<void> {
  await fetch(new URL("/cancel", url));
}

/** Cancels and scans until the returned function is called. */
function scanOn(chain: Server, scans: Server): () => Promise<void> {
  let isStopped = false;
  const running = (async () => {
    while (!isStopped) {
      await cancelOne(chain);
      await scan(scans);
    }
  })();
  return () => {
    isStopped = true;
    return running;
  };
}

/** Milliseconds of each of READS polled reads, AT_ONCE at a time. Every second read is of today's first page. */
async function read(url: string): Promise<number[]> {
  const times: number[] = [];
  const today = dayNumber(Math.floor(Date.now() / 1000));
  let next = 0;
  async function readOn(): Promise<void> {
    for (let index = next++; index < READS; index = next++) {
      const other = `?dayNumber=${today + (index % DAYS)}&frequency=${index % 4}&first=${1 + ((index * 37) % PAGE)}&skip=${(index * 331) % 5_001}`;
      const start = performance.now();
      const response = await fetch(`${url}/subscriptions/due${index % 2 === 0 ? "" : other}`);
      await response.arrayBuffer();
      times.push(performance.now() - start);
      if (!response.ok) throw new Error(`${other} answered ${response.status}`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return times;
}

/** `VmRSS`: now; `VmHWM`: the most so far. */
async function residentMb(pid: number, name: "VmRSS" | "VmHWM"): Promise<number> {
  const text = await Bun.file(`/proc/${pid}/status`).text();
  const line = text.split("\n").find((each) => each.startsWith(`${name}:`));
  return Number(line?.match(/\d+/)?.[0]) / 1024;
}

if (import.meta.main) {
  const [role, argument = "", address = ""] = process.argv.slice(2);
  const serve = { chain: serveChain, scans: serveScans, api: serveDue }[role ?? ""];
  if (serve !== undefined) await Bun.write(address, await serve(argument));
  else {
    const sizes = (role ?? "10000,100000,1000000").split(",").map(Number);
    const misses: string[] = [];
    for (const size of sizes) for (const shape of SHAPES) misses.push(...(await measure(size, shape)));
    for (const miss of misses.slice(0, 20)) console.log(`missed: ${miss}`);
    process.exit(misses.length === 0 ? 0 : 1);
  }
}
