import { rename } from "node:fs/promises";
import { join } from "node:path";
import { startApi } from "@dueday/api/startApi";
import { buildDueDay } from "@dueday/chain/due/buildDueDay";
import type { DueDayFacts } from "@dueday/chain/due/dueDayPlan";
import { presentDueDay } from "@dueday/chain/due/presentDueDay";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { calendarDay } from "@dueday/core/calendar/calendarDay";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { dueDayOf, FREQUENCIES } from "@dueday/core/calendar/frequency";
import { FORECAST_DAYS, forecastFromPlan } from "@dueday/core/remit/forecastFromPlan";
import { planRemitInSlices } from "@dueday/core/remit/planRemit";
import { dueKey, type RemitState } from "@dueday/core/remit/state";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { cutDueDay } from "@dueday/db/duePages/cutDueDay";
import { writeDuePages } from "@dueday/db/duePages/writeDuePages";
import { readSnapshotContents } from "@dueday/db/snapshots/readSnapshotContents";
import { renewSnapshots } from "@dueday/db/snapshots/renewSnapshots";
import type { NewSnapshot } from "@dueday/db/snapshots/writeSnapshots";
import type { Hex } from "viem";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";
import { type BigBook, BOOK_TOKEN, type BookShape, bigBook, dueCounts } from "./support/bigBook";
import { BENCH_CHAIN_ID, BENCH_CONTRACT } from "./support/dueSnapshot";
import { startServer, stopServers } from "./support/wrk";

/**
 * What a book of 10,000 or 100,000 subscriptions costs besides the requests to the node, all due today or spread over all frequencies and
 * days: `bun bench/scale.ts [sizes]`. A process does what `scan_remit` and `scan_due` do with a state that was read: the plan of today, the forecast
 * of 35 days, the due lists of 36 days, their pages; from nothing, and again after one subscription was cancelled. An API process
 * answers `GET /subscriptions/due` from the result, over all days, frequencies and pages, while the scans go on. Its answers are compared
 * with those of the whole days, and counts with arithmetic. The exit code is 1 where one differs, or a bar is missed.
 *
 * Real nodes can't read a due list of more than about 20,000 ids in one call (`readDueLists`): a day that is as full as the upper rows of this table is
 * out of reach on the chain, not here.
 */

const SHAPES: readonly BookShape[] = ["day", "spread"];
const READS = 5_000;
const AT_ONCE = 4;
const SAMPLES = 150;
const SAMPLED_DAYS = 8;
/** Milliseconds, bytes of write-ahead log, and megabytes. Those of a million subscriptions, on a quiet machine. */
const BARS = {
  firstMs: 60_000,
  changeMs: 2_000,
  changeBytes: 1_000_000,
  planMs: 20_000,
  apiMb: 160,
  workerMb: 900,
  p99: 10,
  p999: 50,
};

type Sample = { path: string; answer: unknown };
type Scan = { planMs: number; scanMs: number; walBytes: number; pages: number; residentMb: number };
type ScanReport = { first: Scan; change: Scan; samples: Sample[]; counts: { day: number; counts: number[] }[] };

const scope = { chainId: BENCH_CHAIN_ID, contract: BENCH_CONTRACT };

async function scan(database: Database, state: RemitState, blockNumber: bigint, timestamp: number): Promise<Scan> {
  const wal = () => database.sql<{ lsn: string }[]>`select pg_current_wal_insert_lsn() - '0/0' as lsn`;
  const [before] = await wal();
  const started = performance.now();
  const plan = await planRemitInSlices(state);
  const planMs = performance.now() - started;
  const dayOf = await openDays(state, plan);
  const contents = await readSnapshotContents(database, scope);
  const stored = new Set(contents.map(({ key, hash }) => `${key} ${hash}`));
  const rows: NewSnapshot[] = [];
  let pages = 0;
  for (let day = state.today; day <= state.today + FORECAST_DAYS; day++) {
    const cut = cutDueDay(dayOf(day));
    const payload = JSON.stringify(cut.head);
    const hash = new Bun.CryptoHasher("sha256").update(payload).digest("hex");
    const key = String(day);
    if (!stored.has(`${key} ${hash}`)) pages += await writeDuePages(database, scope, cut.pages);
    const blockHash: Hex = `0x${blockNumber.toString(16).padStart(64, "0")}`;
    const block = { blockNumber, blockHash, blockTimestamp: timestamp };
    rows.push({ ...scope, kind: "due", key, ...block, blockTimestampMs: null, computedAt: new Date(), payload, hash });
  }
  await renewSnapshots(database, rows);
  const scanMs = performance.now() - started;
  const [after] = await wal();
  const walBytes = Number(after?.lsn) - Number(before?.lsn);
  return { planMs, scanMs, walBytes, pages, residentMb: process.memoryUsage().rss / 2 ** 20 };
}

/** As `openDueDays`, from a state that was read. */
async function openDays(state: RemitState, plan: Awaited<ReturnType<typeof planRemitInSlices>>) {
  const forecast = await forecastFromPlan(state, FORECAST_DAYS, plan);
  const facts: DueDayFacts = {
    records: state.subscriptions,
    activeCounts: new Map([...state.subscriptions.values()].map((each) => [each.id, each.subscribers.length])),
    pausedTokens: new Set(),
    tokens: new Map([[BOOK_TOKEN, { address: BOOK_TOKEN, symbol: "USDC", decimals: 6 }]]),
    today: state.today,
    nextUncheckedDay: state.nextUncheckedDay,
    outlook: {
      lastDay: state.today + FORECAST_DAYS,
      payments: forecast.payments && Map.groupBy(forecast.payments, (payment) => payment.dayNumber),
      blockedFrom: forecast.blockedFrom,
      isPaged: false,
      activeCounts: new Map(),
    },
    settled: new Map(),
  };
  return (day: number) => {
    const calendar = calendarDay(day);
    const lists = FREQUENCIES.map((frequency) => {
      const dueDay = dueDayOf(calendar, frequency);
      return { frequency, dueDay, ids: state.dueLists.get(dueKey(frequency, dueDay)) ?? [] };
    });
    return buildDueDay(day, lists, facts);
  };
}

/** A scan from nothing, one after a change, what the API then has to answer; then scans after changes until the process is ended. */
async function runScans([size, shape, url, reportFile]: [number, BookShape, string, string]): Promise<never> {
  const database = connectDatabase({ url, deadlineMs: 60_000 });
  const timestamp = Math.floor(Date.now() / 1000);
  const book = bigBook(size, shape, dayNumber(timestamp));
  const first = await scan(database, book, 1n, timestamp);
  cancelOne(book, 1);
  const change = await scan(database, book, 2n, timestamp);
  const samples = await sampleAnswers(book);
  const counts = Array.from({ length: FORECAST_DAYS + 1 }, (_, ahead) => {
    const day = book.today + ahead;
    return { day, counts: dueCounts(size, shape, book.today, day) };
  });
  await Bun.write(`${reportFile}.part`, JSON.stringify({ first, change, samples, counts } satisfies ScanReport));
  await rename(`${reportFile}.part`, reportFile);
  for await (const _line of Bun.stdin.stream()) break;
  for (let block = 3; ; block++) {
    cancelOne(book, block);
    await scan(database, book, BigInt(block), timestamp);
  }
}

function cancelOne({ dueLists, subscriptions }: BigBook, place: number): void {
  const [list = []] = dueLists.values();
  const id = list[place];
  const subscription = id === undefined ? undefined : subscriptions.get(id);
  if (id === undefined || subscription === undefined) throw new Error("the book has no more subscriptions");
  subscriptions.set(id, { ...subscription, cancelled: true });
}

/** Queries over some days, all lists and pages, with the answers that the whole days give. */
async function sampleAnswers(state: RemitState): Promise<Sample[]> {
  const dayOf = await openDays(state, await planRemitInSlices(state));
  const days = Array.from({ length: SAMPLED_DAYS }, (_, ahead) => dayOf(state.today + ahead));
  return Array.from({ length: SAMPLES }, (_, index) => {
    const dueDay = days[index % 2 === 0 ? 0 : index % SAMPLED_DAYS];
    if (dueDay === undefined) throw new Error("the day was built");
    const query = {
      frequency: [undefined, 0, 1, 2, 3][index % 5],
      first: 1 + ((index * 37) % 200),
      skip: (index * 331) % 5_001,
    };
    const { frequency, first, skip } = query;
    const named = frequency === undefined ? "" : `&frequency=${frequency}`;
    return {
      path: `/subscriptions/due?dayNumber=${dueDay.dayNumber}&first=${first}&skip=${skip}${named}`,
      answer: presentDueDay(dueDay, query),
    };
  });
}

/** One row: a database, a process that scans, and one that answers. Returns the misses. */
async function measure(size: number, shape: BookShape): Promise<string[]> {
  const postgres = await startBenchDatabase();
  const reportFile = join(postgres.folder, "report.json");
  const scanner = Bun.spawn(
    [process.execPath, "--no-orphans", import.meta.path, "scan", String(size), shape, postgres.url, reportFile],
    { stdin: "pipe", stdout: "inherit", stderr: "inherit" },
  );
  const servers = [];
  try {
    while (!(await Bun.file(reportFile).exists())) {
      if (scanner.exitCode !== null) throw new Error("the scanning process ended");
      await Bun.sleep(50);
    }
    const report: ScanReport = await Bun.file(reportFile).json();
    const api = await startServer(import.meta.path, ["api", postgres.url], postgres.folder);
    servers.push(api);
    const faults = await compare(api.url, report);
    scanner.stdin.write("go\n");
    await scanner.stdin.flush();
    const times = await read(api.url, report.samples);
    const apiMb = await residentMb(api.process.pid);
    const workerMb = await residentMb(scanner.pid);
    return [...faults, ...judge({ size, shape, report, times, apiMb, workerMb })];
  } finally {
    scanner.kill();
    await scanner.exited;
    await stopServers(servers);
    await postgres.stop();
  }
}

type Row = { size: number; shape: BookShape; report: ScanReport; times: number[]; apiMb: number; workerMb: number };

/** Prints a row and returns the bars that it misses. */
function judge({ size, shape, report: { first, change }, times, apiMb, workerMb }: Row): string[] {
  const p99 = percentile(times, 0.99);
  const p999 = percentile(times, 0.999);
  const figures: [keyof typeof BARS, number][] = [
    ["firstMs", first.scanMs],
    ["changeMs", change.scanMs],
    ["changeBytes", change.walBytes],
    ["planMs", first.planMs],
    ["apiMb", apiMb],
    ["workerMb", workerMb],
    ["p99", p99],
    ["p999", p999],
  ];
  const kb = (bytes: number) => `${Math.round(bytes / 1024)} kB`;
  console.log(
    `${String(size).padStart(9)} ${shape.padEnd(6)} from nothing ${(first.scanMs / 1000).toFixed(2)} s (${first.pages} pages, ${kb(first.walBytes)}), ` +
      `plan ${(first.planMs / 1000).toFixed(2)} s; after one change ${(change.scanMs / 1000).toFixed(2)} s (${change.pages} pages, ${kb(change.walBytes)}); ` +
      `scanning process ${workerMb.toFixed(0)} MB; API after ${READS} reads ${apiMb.toFixed(0)} MB, p99 ${p99.toFixed(1)} ms, p99.9 ${p999.toFixed(1)} ms`,
  );
  return figures
    .filter(([name, value]) => value > BARS[name])
    .map(([name, value]) => `${size} ${shape}: ${name} ${value.toFixed(1)} is above ${BARS[name]}`);
}

/** Answers that differ from those of the whole days, and counts that differ from arithmetic. */
async function compare(url: string, { samples, counts }: ScanReport): Promise<string[]> {
  const faults: string[] = [];
  for (const { path, answer } of samples) {
    const { chainId: _, asOf, ...served } = Object(await (await fetch(url + path)).json());
    if (asOf?.source !== "snapshot") faults.push(`${path} is not answered from a snapshot`);
    if (!Bun.deepEquals(served, answer)) faults.push(`${path} differs from the whole day`);
  }
  for (const { day, counts: expected } of counts) {
    const { results } = Object(await (await fetch(`${url}/subscriptions/due?dayNumber=${day}&first=1`)).json());
    const served = results.map(({ count }: { count: number }) => count);
    if (!Bun.deepEquals(served, expected)) faults.push(`day ${day} counts ${served}, not ${expected}`);
  }
  return faults;
}

/** Milliseconds of each of READS polled reads, AT_ONCE at a time: every second one of the first page. */
async function read(url: string, samples: readonly Sample[]): Promise<number[]> {
  const times: number[] = [];
  let next = 0;
  async function readOn(): Promise<void> {
    for (let index = next++; index < READS; index = next++) {
      const path = index % 2 === 0 ? "/subscriptions/due" : (samples[index % samples.length]?.path ?? "");
      const start = performance.now();
      const response = await fetch(url + path);
      await response.arrayBuffer();
      times.push(performance.now() - start);
      if (!response.ok) throw new Error(`${path} answered ${response.status}`);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, readOn));
  return times;
}

function percentile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))] ?? 0;
}

async function residentMb(pid: number): Promise<number> {
  const text = await Bun.file(`/proc/${pid}/status`).text();
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(text)?.[1]) / 1024;
}

async function serveApi(databaseUrl: string): Promise<string> {
  const config = parseConfig({
    PORT: "0",
    CHAINS: String(BENCH_CHAIN_ID),
    // Nothing listens there: a polled read sends no request to a node.
    [`CHAIN_${BENCH_CHAIN_ID}_RPC_URLS`]: "http://127.0.0.1:9",
    [`CHAIN_${BENCH_CHAIN_ID}_CONTRACT`]: BENCH_CONTRACT,
    LOG_LEVEL: "silent",
    ...UNLIMITED,
  });
  const database = connectDatabase({ url: databaseUrl });
  const { url } = await startApi(config, { logger: createLogger(config), database, databaseUrl });
  return url;
}

if (import.meta.main) {
  const [role, ...rest] = process.argv.slice(2);
  if (role === "api") await Bun.write(rest[1] ?? "", await serveApi(rest[0] ?? ""));
  else if (role === "scan") {
    const [size, shape, url = "", reportFile = ""] = rest;
    await runScans([Number(size), shape === "day" ? "day" : "spread", url, reportFile]);
  } else {
    const sizes = (role ?? "10000,100000").split(",").map(Number);
    const misses: string[] = [];
    for (const size of sizes) for (const shape of SHAPES) misses.push(...(await measure(size, shape)));
    for (const miss of misses.slice(0, 20)) console.log(`missed: ${miss}`);
    process.exit(misses.length === 0 ? 0 : 1);
  }
}
