import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "@dueday/db/embedded/freePort";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startRedis } from "@dueday/test-support/startRedis";
import { median } from "./wrk";

/**
 * How soon `bun run api` answers /status, from the start of the command on, and what memory its process needs: then, and after
 * some thousand reads of every kind. Once alone, where each read of the chain is computed, and once beside a worker, as it is meant to
 * run.
 */

const ROUNDS = 5;
const REQUESTS = 5_000;
const AT_ONCE = 32;
const PATHS = ["/status", "/catalog", "/openapi.json", "/protocol/state", "/subscriptions/due", "/remit/readiness"];
const ROOT = join(import.meta.dir, "..");

type Measured = { milliseconds: number; atStart: number; afterReads: number };

const folder = await mkdtemp(join(tmpdir(), "dueday-bench-"));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), temporary: true });
const redis = await startRedis();
const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
try {
  await migrateDatabase(postgres.url);
  console.log(`start: bun run api on a devnet, median of ${ROUNDS}`);
  await report("alone");
  const worker = start("worker", 0);
  try {
    await report("beside a worker", worker);
  } finally {
    worker.kill();
    await worker.exited;
  }
} finally {
  await devnet.stop();
  await redis.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

async function report(how: string, worker?: Bun.Subprocess): Promise<void> {
  const rounds: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(worker));
  const middle = (pick: (round: Measured) => number) => median(rounds.map(pick)).toFixed(0);
  console.log(
    `  ${how}: /status answers after ${middle(({ milliseconds }) => milliseconds)} ms (required: within 1000)`,
  );
  console.log(
    `    memory (RSS) ${middle(({ atStart }) => atStart)} MB, after ${REQUESTS} reads ${middle(({ afterReads }) => afterReads)} MB` +
      " (required: under 150)",
  );
}

async function measure(worker: Bun.Subprocess | undefined): Promise<Measured> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const startedAt = performance.now();
  const command = start("api", port);
  while (!(await answers(`${url}/status`))) {
    if (command.exitCode !== null) throw new Error(`bun run api ended with ${command.exitCode}`);
    await Bun.sleep(5);
  }
  const milliseconds = performance.now() - startedAt;
  const api = await childOf(command.pid);
  const atStart = await residentMegabytes(api);
  while (worker !== undefined && !(await answers(`${url}/remit/readiness`, "x-as-of"))) {
    if (worker.exitCode !== null) throw new Error(`bun run worker ended with ${worker.exitCode}`);
    await Bun.sleep(50);
  }
  await read(url);
  const afterReads = await residentMegabytes(api);
  process.kill(api, "SIGTERM");
  await command.exited;
  return { milliseconds, atStart, afterReads };
}

function start(script: "api" | "worker", port: number): Bun.Subprocess {
  return Bun.spawn([process.execPath, "run", script], {
    cwd: ROOT,
    env: { ...process.env, ...settings(port) },
    stdin: "ignore",
    stdout: Bun.file(join(folder, `${script}.log`)),
    stderr: Bun.file(join(folder, `${script}.err`)),
  });
}

function settings(port: number): Record<string, string> {
  const limits = ["GLOBAL_RPM", "DAILY_TOTAL_REQUESTS"].map((name) => [`LIMIT_FREE_${name}`, "1000000000"]);
  return {
    PORT: String(port),
    DATABASE_URL: postgres.url,
    REDIS_URL: `unix://${redis.path}`,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
    ...Object.fromEntries(limits),
  };
}

/** Whether it answers, with a header where one is named: that of a snapshot comes only once there is one. */
async function answers(url: string, header?: string): Promise<boolean> {
  try {
    const { ok, headers } = await fetch(url);
    return ok && (header === undefined || headers.has(header));
  } catch {
    // Nobody listens yet.
    return false;
  }
}

async function read(url: string): Promise<void> {
  let asked = 0;
  const client = async () => {
    for (; asked < REQUESTS; asked++) await (await fetch(url + PATHS[asked % PATHS.length])).arrayBuffer();
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

/** `bun run` starts the program as its child. */
async function childOf(pid: number): Promise<number> {
  const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
  return Number(children.trim().split(" ")[0]);
}

async function residentMegabytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
