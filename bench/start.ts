import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { freePort } from "@dueday/db/embedded/freePort";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { startRedis } from "@dueday/test-support/startRedis";
import { startBenchDatabase, UNLIMITED } from "./support/benchDatabase";
import { median } from "./support/quantile";

/**
 * Time from the start of `bun run api` until it answers /status, also as a ratio to a bare `Bun.serve` in the same run, and the
 * memory of its process: after the start, and after 5,000 reads. Measured once without a worker, where each read of the chain is
 * computed, and once beside a worker, as in production.
 *
 * Memory of an API process, on a busy machine. Importing 1,400 modules takes it from 18 to 80 MB; viem takes 11 MB, drizzle-orm 6 MB and
 * prom-client 5 MB; 40 MB are pages of Bun's own program. After the start 19 MB of JavaScript objects are in use. The collector
 * lets the heap grow to 2.4 times the memory in use, so reads add unused memory: 800 `/status`, 32 at once, add 45 MB. RSS after the start and
 * after 5,000 reads beside a worker, by how the API is run (medians of 3; the target is 110 MB; the second figure of the bundle was
 * measured on a quiet machine):
 *
 * | how it runs                                                                    | after the start | after reads   |
 * | ------------------------------------------------------------------------------ | --------------- | ------------- |
 * | bundled, as `bun run api` and the image run it                                 | 82; 97 MB       | 100; 109 MB   |
 * | from its source                                                                | 97 to 99 MB     | 121 to 131 MB |
 * | from its source, without the collection at the end of the start                | 115 to 118 MB   | 122 to 123 MB |
 * | `BUN_JSC_heapGrowthMaxIncrease=0.25` in its environment                        | 98 MB           | 108 MB        |
 * | the same with `0.5`; with `0.5` and `BUN_JSC_minEdenToOldGenerationRatio=0.15` | 96 MB           | 109; 114 MB   |
 *
 * A bundle has no record, scope and symbol table for each module. `BUN_JSC_heapGrowthMaxIncrease` has every second collection walk the whole
 * heap, which costs CPU time: with `0.25` a polled read takes 42 µs in place of 25, with `8` it takes 23.5. `--smol`, `BUN_JSC_largeHeapSize`, `BUN_JSC_gcMaxHeapSize` and `BUN_JSC_numberOfGCMarkers`
 * changed nothing.
 */

const ROUNDS = 5;
const REQUESTS = 5_000;
const AT_ONCE = 32;
const PATHS = ["/status", "/catalog", "/openapi.json", "/protocol/state", "/subscriptions/due", "/remit/readiness"];
const ROOT = join(import.meta.dir, "..");

type Measured = { milliseconds: number; atStart: number; afterReads: number };

const postgres = await startBenchDatabase();
const { folder } = postgres;
const redis = await startRedis();
const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
try {
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
}

async function report(how: string, worker?: Bun.Subprocess): Promise<void> {
  const rounds: Measured[] = [];
  for (let round = 0; round < ROUNDS; round++) rounds.push(await measure(worker));
  const middle = (pick: (round: Measured) => number) => median(rounds.map(pick)).toFixed(0);
  console.log(
    `  ${how}: /status answers after ${middle(({ milliseconds }) => milliseconds)} ms (required: within 1000), ` +
      `ratio to a bare server ${(median(rounds.map((round) => round.milliseconds)) / (await bareStartMs())).toFixed(1)}`,
  );
  console.log(
    `    memory (RSS) ${middle(({ atStart }) => atStart)} MB, after ${REQUESTS} reads ${middle(({ afterReads }) => afterReads)} MB` +
      " (required: under 110 beside a worker)",
  );
}

/** Milliseconds until a program that only calls `Bun.serve` answers: median of `ROUNDS` starts. */
async function bareStartMs(): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const port = await freePort();
    const startedAt = performance.now();
    const program = `Bun.serve({ port: ${port}, hostname: "127.0.0.1", fetch: () => new Response() })`;
    const bare = Bun.spawn([process.execPath, "-e", program]);
    while (!(await answers(`http://127.0.0.1:${port}`))) await Bun.sleep(5);
    times.push(performance.now() - startedAt);
    bare.kill();
    await bare.exited;
  }
  return median(times);
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
  return {
    PORT: String(port),
    DATABASE_URL: postgres.url,
    REDIS_URL: `unix://${redis.path}`,
    CHAINS: "31337",
    CHAIN_31337_RPC_URLS: devnet.url,
    CHAIN_31337_CONTRACT: devnet.contract,
    ...UNLIMITED,
  };
}

/** Whether the server answers, and with the header where one is named: a snapshot's header is absent until the snapshot exists. */
async function answers(url: string, header?: string): Promise<boolean> {
  try {
    const { ok, headers } = await fetch(url);
    return ok && (header === undefined || headers.has(header));
  } catch {
    // The server does not listen yet.
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
