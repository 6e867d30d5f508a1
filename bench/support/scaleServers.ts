import { startApi } from "@dueday/api/startApi";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { bulkReads } from "@dueday/chain/remit/state/bulkReads";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { connectDatabase } from "@dueday/db/connectDatabase";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import type { BookShape } from "@dueday/test-support/bigChain/fillBook";
import { startBookChain } from "@dueday/test-support/bigChain/startBookChain";
import type { ChainContext } from "@dueday/worker/context";
import { createScanProgress } from "@dueday/worker/createScanProgress";
import { scanDue } from "@dueday/worker/jobs/scanDue";
import { scanRemit } from "@dueday/worker/jobs/scanRemit";
import { UNLIMITED } from "./benchDatabase";
import { BENCH_CHAIN_ID, BENCH_CONTRACT } from "./dueSnapshot";

/**
 * What one scan took: both jobs one after another, in time and in CPU time of the process. `readinessMs`: until a readiness was stored, which
 * may have only the beginning of a plan. `turnMs`: the longest time for which the scan blocked other work, such as renewing the lease of the chain.
 */
export type ScanFigures = {
  readinessMs: number;
  remitMs: number;
  dueMs: number;
  remitCpuMs: number;
  dueCpuMs: number;
  walBytes: number;
  turnMs: number;
};

const SCAN_TIMEOUT_MS = 30_000;
const TICK_MS = 10;

function benchConfig(nodeUrl: string) {
  return parseConfig({
    PORT: "0",
    CHAINS: String(BENCH_CHAIN_ID),
    [`CHAIN_${BENCH_CHAIN_ID}_RPC_URLS`]: nodeUrl,
    [`CHAIN_${BENCH_CHAIN_ID}_CONTRACT`]: BENCH_CONTRACT,
    LOG_LEVEL: "silent",
    ...UNLIMITED,
  });
}

/** Serves a chain for the argument "<size> <shape> [chain id]". Payments of today are open. `/cancel` at its URL cancels the next subscription. */
export async function serveChain(argument: string): Promise<string> {
  const [size = "", shape, chainId = BENCH_CHAIN_ID] = argument.split(" ");
  const chain = startBookChain({
    chainId: Number(chainId),
    contract: BENCH_CONTRACT,
    size: Number(size),
    shape: shape as BookShape,
    today: dayNumber(Math.floor(Date.now() / 1000)),
  });
  let place = 1;
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      if (new URL(request.url).pathname === "/cancel") {
        chain.mine([{ do: "cancel", place: place++ }]);
        return new Response();
      }
      const { method } = request;
      return fetch(chain.url, { method, headers: request.headers, body: await request.text() });
    },
  });
  return server.url.href;
}

/** Serves the jobs of a worker for the argument "<node URL> <database URL>": each request runs one scan. */
export async function serveScans(argument: string): Promise<string> {
  const [nodeUrl = "", databaseUrl = ""] = argument.split(" ");
  const config = benchConfig(nodeUrl);
  const [chain] = config.chains;
  if (chain === undefined) throw new Error("the settings have no chain");
  const database = connectDatabase({ url: databaseUrl, deadlineMs: 60_000 });
  const { chainId, contract } = chain;
  const progress = createScanProgress(Date.now, () => {});
  const context: ChainContext = {
    chain,
    database,
    client: createChainClient({
      chainId,
      rpcUrls: chain.rpcUrls,
      purpose: "scan",
      requestTimeoutMs: SCAN_TIMEOUT_MS,
    }),
    logger: createLogger(config),
    clock: Date.now,
    head: () => null,
    covered: () => null,
    stateCache: createRemitStateCache(contract, progress.over(bulkReads)),
    scans: { plan: null, due: null },
    progress,
    onPlanAlarm(alarm) {
      throw new Error(`the plan raises an alarm: ${alarm.kind}`);
    },
    planCaller: config.planCaller,
    eventsRetentionDays: config.eventsRetentionDays,
  };
  const walBytes = async () => {
    const [row] = await database.sql<{ lsn: string }[]>`select pg_current_wal_insert_lsn() - '0/0' as lsn`;
    return Number(row?.lsn);
  };
  async function untilReadiness(): Promise<number> {
    const started = performance.now();
    while ((await readSnapshots(database, { chainId, contract, kind: "readiness" })).length === 0) await Bun.sleep(50);
    return performance.now() - started;
  }
  async function scan(): Promise<ScanFigures> {
    const readiness = untilReadiness();
    const longestTurn = watchTurns();
    const [remitMs, remitCpuMs] = await timed(() => scanRemit(context, { atLeastBlock: null }));
    const before = await walBytes();
    const [dueMs, dueCpuMs] = await timed(() => scanDue(context, { atLeastBlock: null }));
    return {
      readinessMs: await readiness,
      remitMs,
      dueMs,
      remitCpuMs,
      dueCpuMs,
      walBytes: (await walBytes()) - before,
      turnMs: longestTurn(),
    };
  }
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async () => Response.json(await scan()),
  });
  return server.url.href;
}

/** Watches the turns of this process. The returned function stops that, and returns the longest turn in milliseconds. */
function watchTurns(): () => number {
  let longest = 0;
  let last = performance.now();
  const note = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last - TICK_MS);
    last = now;
  };
  const ticks = setInterval(note, TICK_MS);
  return () => {
    note();
    clearInterval(ticks);
    return longest;
  };
}

async function timed(run: () => Promise<void>): Promise<[ms: number, cpuMs: number]> {
  const [started, before] = [performance.now(), process.cpuUsage()];
  await run();
  const { user, system } = process.cpuUsage(before);
  return [performance.now() - started, (user + system) / 1_000];
}

/** Serves the API with the database. The URL of its node has no server, because a polled read sends no request to a node. */
export async function serveDue(databaseUrl: string): Promise<string> {
  const config = benchConfig("http://127.0.0.1:9");
  const database = connectDatabase({ url: databaseUrl });
  const { url } = await startApi(config, { logger: createLogger(config), database, databaseUrl });
  return url;
}
