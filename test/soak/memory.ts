import { mkdtemp, readFile, rm } from "node:fs/promises";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKeyText } from "@dueday/api/identity/keyText";
import { buildApi } from "@dueday/api/tools/buildApi";
import { startEmbeddedPostgres } from "@dueday/db/embedded/startEmbeddedPostgres";
import { migrateDatabase } from "@dueday/db/migrateDatabase";
import { demo } from "@dueday/devnet/scenarios/demo";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { startProcess } from "../e2e/startProcess";

/**
 * Memory of an API process, run from its bundle as `bun run api` does, under clients that try to fill it: slow readers of the largest
 * answers, distinct addresses, distinct URLs, unknown keys, idle connections. Fails where the process passes 300 MB during a run, or
 * has over 5 % more after a second identical run than after the first. Growth is measured between the runs because a maximum during
 * one depends on when garbage is collected. The runs are more than a minute apart: within a minute, limits refuse some of the second
 * run, and what is renewed each minute is not.
 *
 * Memory under clients that try to fill it (`bun run test:memory`: 60 slow readers of the largest answers, 10,000 addresses, 100,000 URLs,
 * 10,000 unknown keys and 1,000 idle connections, twice, more than a minute apart). Each of six new processes on a busy machine took at most
 * 216 to 263 MB (the bound is 300). With its garbage collected, 143 to 163 MB stayed after the first attack, and 0.998 to 1.027 times as much after
 * the second (the bound is 1.05). The test collects the garbage itself: a process that is left alone gives memory back in steps of 5 to 15 MB, up
 * to 25 seconds after an attack, and what was left 30 seconds after its last step was 0.91 to 1.10 times that of the attack before, in eleven
 * starts. Of what stays, 33 to 36 MB are JavaScript objects in use, in a heap of 60 MB, 35 MB are pages of Bun's own program, 4 to 5 MB compiled
 * code, and 40 MB buffers and memory that the allocator keeps. The process does not collect garbage by itself after a burst: once its memory had
 * settled, `Bun.gc(true)` returned 1 to 2 MB.
 *
 * The heap is larger than what is in use because the collector moves nothing: an object that a request creates and that stays lies between the
 * garbage of requests, and keeps its block of 16 KB. With the caches of clients bounded to 100 entries, 120 MB stayed after both attacks (22 MB in
 * use in a heap of 37); identities of 10,000 clients made that 131 MB, their buckets 170 MB. So what matters is how often such objects are made
 * again: while identities were made again each minute, a second attack in another minute left 1.06 to 1.14 times as much as the first in four
 * new processes, and one in the same minute 0.98 to 1.05 times. Buckets in typed arrays in place of objects left 138 MB in place of 164 after one
 * request from each of 100,000 addresses, for 0.1 us more of each request (0.36 in place of 0.25); they are not used.
 */

const MOST_MEGABYTES = 300;
const MOST_GROWTH = 1.05;
const SLOW_READERS = 60;
const ADDRESSES = 10_000;
const URLS = 100_000;
const KEYS = 10_000;
const IDLE = 1_000;
const AT_ONCE = 64;
/** Seconds. */
const SETTLED_AFTER = 8;
const SAMPLE_MS = 100;
const LIMITED_MS = 60_000;

const folder = await mkdtemp(join(tmpdir(), "dueday-memory-"));
const postgres = await startEmbeddedPostgres({ dataDir: join(folder, "data"), temporary: true });
const devnet = await startDevnet({ scenario: demo, now: Math.floor(Date.now() / 1000) });
const env = {
  PORT: "0",
  DATABASE_URL: postgres.url,
  CHAINS: "31337",
  CHAIN_31337_RPC_URLS: devnet.url,
  CHAIN_31337_CONTRACT: devnet.contract,
  TRUSTED_PROXIES: "127.0.0.0/8",
};
await migrateDatabase(postgres.url);
const worker = await startProcess("apps/worker/src/main.ts", { env });
await buildApi();
const api = await startProcess("apps/api/build/main.js", { env, preload: "test/soak/collectGarbage.ts" });
try {
  process.exitCode = (await measure()) ? 0 : 1;
} finally {
  await api.dispose();
  await worker.dispose();
  await devnet.stop();
  await postgres.stop();
  await rm(folder, { recursive: true, force: true });
}

/** Whether memory stayed within its bounds. */
async function measure(): Promise<boolean> {
  const [, url = ""] = await api.printed(/API on (http\S+)/);
  await waitUntil("a plan to be served", async () => (await fetch(`${url}/remit/readiness`)).ok);
  console.log(`at the start ${(await residentMegabytes()).toFixed(0)} MB`);
  const first = await attack(url);
  await Bun.sleep(LIMITED_MS);
  const second = await attack(url);
  const growth = second.after / first.after;
  console.log(`${growth.toFixed(3)} times as much after the second run (at most ${MOST_GROWTH})`);
  return Math.max(first.peak, second.peak) < MOST_MEGABYTES && growth < MOST_GROWTH;
}

/** The most memory during one run and the memory that stays after it, in megabytes. */
async function attack(url: string): Promise<{ peak: number; after: number }> {
  let peak = 0;
  const sample = async () => {
    peak = Math.max(peak, await residentMegabytes());
  };
  const timer = setInterval(sample, SAMPLE_MS);
  const open: Socket[] = [];
  const statuses: Record<string, number> = {};
  const count = (status: string) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const send = async (path: string, index: number, headers: Record<string, string> = {}) => {
    const response = await fetch(url + path, { headers: { "X-Forwarded-For": addressOf(index), ...headers } });
    await response.arrayBuffer();
    count(String(response.status));
  };
  for (let index = 0; index < IDLE; index++) open.push(idle(url));
  for (let index = 0; index < SLOW_READERS; index++) open.push(...slowReaders(url, `198.19.0.${index}`, count));
  await inParallel(ADDRESSES, (index) => send("/catalog", index));
  await inParallel(URLS, (index) => send(pathOf(index), index % ADDRESSES));
  // Well-formed, and unknown.
  await inParallel(KEYS, (index) => send("/catalog", index, { Authorization: `Bearer ${createKeyText().text}` }));
  await sample();
  clearInterval(timer);
  for (const socket of open) socket.destroy();
  const after = await settledMegabytes();
  console.log(`at most ${peak.toFixed(0)} MB (bound ${MOST_MEGABYTES}), ${after.toFixed(0)} MB after it`, statuses);
  return { peak, after };
}

/**
 * Least memory, when it has stopped falling. Garbage is collected each second, because it does not stay: Bun collects that of an idle
 * process at a time that it chooses, up to 25 seconds after a run, and keeps more or less of its heap each time.
 */
async function settledMegabytes(): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (let quiet = 0; quiet < SETTLED_AFTER; quiet++) {
    api.kill("SIGUSR2");
    await Bun.sleep(1_000);
    const now = await residentMegabytes();
    if (now < lowest * 0.99) quiet = 0;
    lowest = Math.min(lowest, now);
  }
  return lowest;
}

async function inParallel(count: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < count) await work(next++);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

function pathOf(index: number): string {
  const paths = [`/nothing/${index}`, `/catalog?unknown=${index}`, `/protocol/state?chainId=${index}`];
  return paths[index % paths.length] ?? "";
}

function addressOf(index: number): string {
  return `198.18.${index >> 8}.${index & 255}`;
}

function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The server may end it.
  socket.on("error", () => {});
  return socket;
}

/** Sends the beginning of a request and no more. */
function idle(url: string): Socket {
  const socket = connectTo(url);
  socket.write("GET /catalog HTTP/1.1\r\nHost: localhost\r\n");
  return socket;
}

/** Requests the largest answers on two connections, because pipelined requests would not be answered, and reads only their beginning. */
function slowReaders(url: string, address: string, count: (status: string) => void): Socket[] {
  const message = { jsonrpc: "2.0", method: "tools/list", params: {} };
  const body = JSON.stringify(Array.from({ length: 20 }, (_, id) => ({ ...message, id })));
  const common = `Host: localhost\r\nX-Forwarded-For: ${address}\r\n`;
  const mcp = "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
  const requests = [
    `POST /mcp HTTP/1.1\r\n${common}${mcp}Content-Length: ${body.length}\r\n\r\n${body}`,
    `GET /openapi.json HTTP/1.1\r\n${common}\r\n`,
  ];
  return requests.map((request) => {
    const socket = connectTo(url);
    let begun = "";
    socket.on("data", (chunk) => {
      begun += chunk.toString("latin1");
      const [, status] = /^HTTP\/1.1 (\d{3}) /.exec(begun) ?? [];
      if (status === undefined || socket.isPaused()) return;
      count(`slow ${status}`);
      socket.pause();
    });
    socket.write(request);
    return socket;
  });
}

async function residentMegabytes(): Promise<number> {
  const status = await readFile(`/proc/${api.pid}/status`, "utf8");
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
