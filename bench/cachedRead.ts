import { mkdtemp, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApi } from "@dueday/api/server";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { dayToDate } from "@dueday/core/calendar/dates";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import type { DueDay, DueSubscription } from "@dueday/core/snapshots/dueDay";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { writeSnapshots } from "@dueday/db/queries/writeSnapshots";

/**
 * Requests a second of a cached `GET /subscriptions/due` (a body of 3 to 6 KB, request log on, limits lifted) against a bare
 * `Bun.serve` that answers the same bytes, in the same run, by `wrk -t1 -c64`; and what each request costs the server in CPU
 * time. Both run in turn, several times, because a shared machine is never equally fast twice.
 */

const CHAIN_ID = 31337;
const CONTRACT = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const PATH = "/subscriptions/due";
const ROUNDS = 5;
const SECONDS = 3;
const SUBSCRIPTIONS = 8;
const CLOCK_TICK_MICROSECONDS = 10_000;

type Measured = { requestsPerSecond: number; cpuMicrosecondsPerRequest: number | null };

/** Runs the comparison and prints it. False when wrk is missing. */
export async function benchCachedRead(): Promise<boolean> {
  if (Bun.which("wrk") === null) {
    console.log("cached read: skipped, wrk is not installed (apt-get install wrk)");
    return false;
  }
  const folder = await mkdtemp(join(tmpdir(), "dueday-bench-"));
  const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), temporary: true });
  try {
    await migrateDatabase(postgres.url);
    await writeDueSnapshot(postgres.url);
    const api = await startServer(["api", postgres.url], folder);
    const body = await (await fetch(api.url + PATH)).text();
    await Bun.write(join(folder, "body.json"), body);
    const bare = await startServer(["bare", join(folder, "body.json")], folder);
    try {
      await compare(api, bare, body.length);
    } finally {
      for (const { process } of [api, bare]) process.kill();
      await Promise.all([api, bare].map(({ process }) => process.exited));
    }
  } finally {
    await postgres.stop();
  }
  return true;
}

async function compare(api: Server, bare: Server, bytes: number): Promise<void> {
  await load(api, 1);
  await load(bare, 1);
  const rounds: { api: Measured; bare: Measured }[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    rounds.push({ bare: await load(bare, SECONDS), api: await load(api, SECONDS) });
  }
  const ratios = rounds.map((round) => round.api.requestsPerSecond / round.bare.requestsPerSecond);
  console.log(`cached read: GET ${PATH}, ${bytes} bytes, wrk -t1 -c64, median of ${ROUNDS} rounds of ${SECONDS} s`);
  for (const name of ["bare", "api"] as const) {
    const rate = median(rounds.map((round) => round[name].requestsPerSecond));
    const cpu = rounds.map((round) => round[name].cpuMicrosecondsPerRequest).filter((value) => value !== null);
    const cost = cpu.length === 0 ? "not measured here" : `${median(cpu).toFixed(1)} us`;
    console.log(`  ${name.padEnd(4)}  ${rate.toFixed(0).padStart(7)} requests/s   CPU time a request ${cost}`);
  }
  console.log(`  ratio ${median(ratios).toFixed(2)} (required: at least 0.50)`);
}

type Server = { url: string; process: Bun.Subprocess };

/** Starts this file as a server of its own process, so that its CPU time can be told from that of wrk and of the database. */
async function startServer(role: [string, string], folder: string): Promise<Server> {
  const output = Bun.file(join(folder, `${role[0]}.log`));
  const address = join(folder, `${role[0]}.url`);
  const process = Bun.spawn(["bun", import.meta.path, ...role, address], { stdout: output, stderr: "inherit" });
  while (!(await Bun.file(address).exists())) {
    if (process.exitCode !== null) throw new Error(`the ${role[0]} server did not start`);
    await Bun.sleep(20);
  }
  return { url: await Bun.file(address).text(), process };
}

async function load({ url, process }: Server, seconds: number): Promise<Measured> {
  const before = await cpuMicroseconds(process.pid);
  const wrk = Bun.spawn(["wrk", "-t1", "-c64", `-d${seconds}s`, url + PATH], { stdout: "pipe" });
  const text = await new Response(wrk.stdout).text();
  const after = await cpuMicroseconds(process.pid);
  const requests = Number(/(\d+) requests in/.exec(text)?.[1]);
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(text)?.[1]);
  if (!(requests > 0) || /Non-2xx/.test(text)) throw new Error(`wrk did not get through:\n${text}`);
  const cpu = before === null || after === null ? null : (after - before) / requests;
  return { requestsPerSecond: rate, cpuMicrosecondsPerRequest: cpu };
}

/** User and system time of a process, from /proc; null where there is none. */
async function cpuMicroseconds(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => null);
  if (text === null) return null;
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MICROSECONDS;
}

function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

async function writeDueSnapshot(databaseUrl: string): Promise<void> {
  const database = connectDatabase({ url: databaseUrl });
  const now = Date.now();
  const blockTimestamp = Math.floor(now / 1000);
  const payload = JSON.stringify(dueDay(dayNumber(blockTimestamp)));
  const identity = { chainId: CHAIN_ID, contract: CONTRACT, kind: "due", key: String(dayNumber(blockTimestamp)) };
  const block = { blockNumber: 1n, blockHash: `0x${"ab".repeat(32)}`, blockTimestamp };
  const hash = new Bun.CryptoHasher("sha256").update(payload).digest("hex");
  await writeSnapshots(database, [{ ...identity, ...block, computedAt: new Date(now), payload, hash }]);
  await database.close();
}

function dueDay(day: number): DueDay {
  const subscription = (index: number): DueSubscription => ({
    id: `0x${index.toString(16).padStart(64, "0")}`,
    provider: "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    token: "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512",
    tokenSymbol: "USDC",
    amount: "12.5",
    amountRaw: "12500000",
    tokenDecimals: 6,
    frequency: 1,
    frequencyLabel: "MONTHLY",
    dueDay: 15,
    cancelled: false,
    subscribers: 12,
    chargeable: true,
  });
  const subscriptions = Array.from({ length: SUBSCRIPTIONS }, (_, index) => subscription(index + 1));
  const list = { frequency: 1, frequencyLabel: "MONTHLY" as const, dueDay: 15, skipped: false };
  return {
    dayNumber: day,
    date: dayToDate(day),
    lists: [{ ...list, count: SUBSCRIPTIONS, subscriptions }],
    totals: { subscriptions: SUBSCRIPTIONS, payments: 12 * SUBSCRIPTIONS, byToken: [] },
  };
}

async function serveApi(databaseUrl: string): Promise<string> {
  const unlimited = [
    "GLOBAL_RPM",
    "EXPENSIVE_RPM",
    "SUBGRAPH_DAILY",
    "WRITE_RPM",
    "WRITE_DAILY",
    "DAILY_TOTAL_REQUESTS",
  ];
  const config = parseConfig({
    PORT: "0",
    CHAINS: String(CHAIN_ID),
    // Nobody listens there: a cached read asks no node.
    [`CHAIN_${CHAIN_ID}_RPC_URLS`]: "http://127.0.0.1:9",
    [`CHAIN_${CHAIN_ID}_CONTRACT`]: CONTRACT,
    ...Object.fromEntries(unlimited.map((name) => [`LIMIT_FREE_${name}`, "1000000000"])),
  });
  const database = connectDatabase({ url: databaseUrl });
  const { url } = await startApi(config, { logger: createLogger(config), database, databaseUrl });
  return url;
}

async function serveBare(bodyFile: string): Promise<string> {
  const body = await Bun.file(bodyFile).bytes();
  const headers = { "Content-Type": "application/json" };
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response(body, { headers }) });
  return `http://127.0.0.1:${server.port}`;
}

if (import.meta.main) {
  const [role, argument = "", addressFile = ""] = process.argv.slice(2);
  if (role === undefined) await benchCachedRead();
  else await Bun.write(addressFile, role === "api" ? await serveApi(argument) : await serveBare(argument));
}
