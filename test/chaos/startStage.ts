import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { protocolAbi } from "@dueday/core/abi/protocol";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { createDevnetClient, type DevnetClient } from "@dueday/devnet/client";
import { startDevnet } from "@dueday/devnet/startDevnet";
import { ACCOUNT_INDEX, testAccount } from "@dueday/devnet/testAccount";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { Queue } from "bullmq";
import postgres from "postgres";
import { startProcess, type TestProcess } from "../e2e/startProcess";
import { compareIndex } from "./compareIndex";
import { type Actor, actors, createProcesses } from "./createProcesses";
import { createTruth } from "./createTruth";
import { everyDay } from "./everyDay";
import { type FaultyNode, startFaultyNode } from "./startFaultyNode";
import { type ChaosPostgres, startPostgres } from "./startPostgres";
import { type Readers, startReaders } from "./startReaders";
import { startSteadyNode } from "./startSteadyNode";
import { startWatcher, type Watcher } from "./startWatcher";

/** Everything that runs, and everything that can be done to it. */
export type Stage = {
  postgres: ChaosPostgres;
  redis: RedisServer;
  node: FaultyNode;
  /** Of the chain itself: no fault strikes it. */
  client: DevnetClient;
  watcher: Watcher;
  process(actor: Actor): TestProcess;
  start(actor: Actor): Promise<void>;
  /** Kills all four and empties the stores; then runs two migrations at once, and starts all four at once. */
  startOver(): Promise<void>;
  /** The chain's clock goes to this second of the next day. */
  nextDay(second?: number): Promise<void>;
  /** Sets the clocks of all processes `days` days ahead, and back after a while. */
  shiftClocks(days: number, milliseconds: number): Promise<void>;
  /** Until both API processes serve a fresh plan of the chain's head as it is now, and its events are indexed. */
  healthy(): Promise<void>;
  /** Until the keeper has settled all that is due. */
  settled(): Promise<void>;
  /** What differs between the index and the chain's logs. */
  compareIndex(): Promise<string | null>;
  queue(): Queue;
  /** Streams and a webhook that read the events from now on. */
  startReaders(): Promise<Readers>;
  databaseUrl(): string;
  /** Until no job is left that this process began: one is taken over only when its lock expires. */
  takenOver(pid: number): Promise<void>;
  stop(): Promise<void>;
};

export const STALE_AFTER_MS = 5_000;
const ADMIN_SECRET = "the admin secret of the chaos suite";
const YEAR_SECONDS = 365 * 86_400;
/** Until every process has noticed that its clock was set, and answers that were under way have arrived. */
const SHIFTED_MS = 2_000;

const Health = Type.Object({ status: Type.String() });
const IndexHealth = Type.Object({
  checks: Type.Object({
    chains: Type.Array(
      Type.Object({
        eventIndex: Type.Union([Type.Object({ indexedBlock: Type.Union([Type.String(), Type.Null()]) }), Type.Null()]),
      }),
      { minItems: 1 },
    ),
  }),
});
const Plan = Type.Object({ asOf: Type.Object({ blockNumber: Type.String(), stale: Type.Boolean() }) });

export async function startStage(): Promise<Stage> {
  const now = Math.floor(Date.now() / 1000);
  const cleanUps: (() => unknown)[] = [];
  const keep = <T>(part: T, end: (part: T) => unknown): T => {
    cleanUps.push(() => end(part));
    return part;
  };
  const [store, redis, devnet, other] = await Promise.all([
    startPostgres().then((part) => keep(part, ({ stop }) => stop())),
    startRedis().then((part) => keep(part, ({ stop }) => stop())),
    startDevnet({ scenario: everyDay, now }).then((part) => keep(part, ({ stop }) => stop())),
    // The same contract address on another chain, a day behind.
    startDevnet({ scenario: everyDay, now: now - 86_400 }).then((part) => keep(part, ({ stop }) => stop())),
  ]);
  const steady = keep(startSteadyNode(devnet.url), ({ stop }) => stop());
  const node = keep(startFaultyNode(steady.url, other.url), ({ stop }) => stop());
  const { contract } = devnet;
  const client = createDevnetClient(steady.url);
  let databaseUrl = await store.createDatabase();
  const folder = keep(await mkdtemp(join(tmpdir(), "dueday-chaos-")), (path) => rm(path, { recursive: true }));
  const clockFile = join(folder, "shift");
  await Bun.write(clockFile, "0");
  let clockShifts: readonly number[] = [0];

  async function shiftClocks(shiftMs: number): Promise<void> {
    clockShifts = [...clockShifts, shiftMs];
    await Bun.write(clockFile, String(shiftMs));
    await Bun.sleep(SHIFTED_MS);
    clockShifts = [shiftMs];
  }

  function environment(actor: Actor): Record<string, string> {
    const limits = [
      "GLOBAL_RPM",
      "EXPENSIVE_RPM",
      "SUBGRAPH_DAILY",
      "WRITE_RPM",
      "WRITE_DAILY",
      "DAILY_TOTAL_REQUESTS",
    ];
    return {
      DATABASE_URL: databaseUrl,
      REDIS_URL: `unix://${redis.path}`,
      CHAINS: "31337",
      CHAIN_31337_RPC_URLS: node.urlFor(actor),
      CHAIN_31337_CONTRACT: contract,
      CHAIN_31337_START_BLOCK: "1",
      // The chain goes a day ahead with each fault.
      CHAIN_31337_MAX_CLOCK_AHEAD_SECONDS: String(YEAR_SECONDS),
      ADMIN_SECRET,
      SECRETS_KEY: "ab".repeat(32),
      WEBHOOKS_TO_LOOPBACK: "true",
      CLOCK_SHIFT_FILE: clockFile,
      SCAN_INTERVAL_MS: "500",
      STALE_AFTER_MS: String(STALE_AFTER_MS),
      ...Object.fromEntries(limits.map((name) => [`LIMIT_FREE_${name}`, "100000000"])),
    };
  }

  const processes = await createProcesses(environment);
  const { urls } = processes;

  async function migrate(): Promise<void> {
    const migration = await startProcess("apps/local/src/migrate.ts", { env: { DATABASE_URL: databaseUrl } });
    const code = await migration.exited();
    const output = await migration.output();
    await migration.dispose();
    if (code !== 0) throw new Error(`the migration ended with ${code}: ${output}`);
  }

  async function isHealthy(url: string, head: bigint): Promise<boolean> {
    try {
      const health = Value.Parse(Health, await (await fetch(`${url}/status`, quick())).json());
      const plan = Value.Parse(Plan, await (await fetch(`${url}/remit/readiness`, quick())).json());
      return health.status === "ok" && !plan.asOf.stale && BigInt(plan.asOf.blockNumber) >= head;
    } catch {
      // It does not listen, or not answer as it should: not yet healthy.
      return false;
    }
  }

  /** Blocks without events are stored every 75 s; until then the worker announces that it has covered them. */
  async function isIndexed(url: string, head: bigint): Promise<boolean> {
    const { checks } = Value.Parse(IndexHealth, await (await fetch(`${url}/status`, quick())).json());
    return checks.chains.every(({ eventIndex }) => BigInt(eventIndex?.indexedBlock ?? -1) >= head);
  }

  async function withDatabase<T>(work: (sql: postgres.Sql) => Promise<T>): Promise<T> {
    const sql = postgres(databaseUrl, { max: 1, onnotice: () => {} });
    try {
      return await work(sql);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  const [firstId] = Object.values(devnet.subscriptions);
  if (firstId === undefined) throw new Error("the scenario names no subscription for the clients to read");
  const someone = testAccount(ACCOUNT_INDEX.firstSubscriber).address;
  const stage: Stage = {
    postgres: store,
    redis,
    node,
    client,
    process: processes.of,
    start: processes.start,
    watcher: { seen: async () => Promise.reject(new Error("not started")), ended: () => {}, stop: async () => {} },
    async startOver() {
      await processes.dispose();
      await redis.kill();
      await redis.start();
      databaseUrl = await store.createDatabase();
      await Promise.all([migrate(), migrate()]);
      await Promise.all(actors.map(processes.start));
    },
    async shiftClocks(days, milliseconds) {
      await shiftClocks(days * 86_400_000);
      await Bun.sleep(milliseconds);
      await shiftClocks(0);
    },
    async nextDay(second = 60) {
      const { timestamp } = await client.getBlock();
      await client.setNextBlockTimestamp({ timestamp: BigInt((dayNumber(timestamp) + 1) * 86_400 + second) });
      await client.mine({ blocks: 1 });
    },
    async healthy() {
      // A head that stands still for longer than this chain's usually does would itself be a fault.
      await client.mine({ blocks: 1 });
      const head = await client.getBlockNumber();
      try {
        await waitUntil(
          "both APIs to serve a fresh plan of the head",
          async () => (await Promise.all(urls.map((url) => isHealthy(url, head)))).every(Boolean),
          60_000,
        );
        await waitUntil(
          "the events of the head to be indexed",
          async () => (await Promise.all(urls.map((url) => isIndexed(url, head)))).every(Boolean),
          60_000,
        );
      } catch (error) {
        await processes.report();
        throw error;
      }
    },
    async settled() {
      const isSettled = async () => {
        const [{ timestamp }, open] = await Promise.all([
          client.getBlock(),
          client.readContract({ address: contract, abi: protocolAbi, functionName: "nextUncheckedDay" }),
        ]);
        return open > dayNumber(timestamp);
      };
      await waitUntil("the keeper to settle what is due", isSettled, 60_000);
    },
    async takenOver(pid) {
      const queue = stage.queue();
      const isTakenOver = async () => (await queue.getActive()).every(({ processedBy }) => processedBy !== String(pid));
      await waitUntil("the jobs of the dead worker to be taken over", isTakenOver, 60_000).finally(() => queue.close());
    },
    startReaders: () => startReaders({ urls, client, contract, adminSecret: ADMIN_SECRET }),
    databaseUrl: () => databaseUrl,
    compareIndex: () => withDatabase((sql) => compareIndex(sql, client, contract)),
    queue: () => new Queue(`dueday-31337-${contract}`, { connection: { path: redis.path, maxRetriesPerRequest: 1 } }),
    async stop() {
      await processes.dispose();
      for (const cleanUp of cleanUps.toReversed()) await cleanUp();
    },
  };
  cleanUps.push(() => stage.watcher.stop());
  await stage.startOver();
  await stage.healthy();
  stage.watcher = startWatcher({
    urls,
    polled: ["/remit/readiness", "/protocol/state", "/subscriptions/due"],
    live: [`/subscriptions/${firstId}/fee-balance?address=${someone}`, `/subscriptions/${firstId}/history?first=200`],
    truth: createTruth(client, contract),
    staleAfterMs: STALE_AFTER_MS,
    clockShifts: () => clockShifts,
  });
  const keeper = await startProcess("apps/keeper/src/main.ts", {
    args: ["--api", urls[0] ?? "", "--rpc", steady.url, "--contract", contract, "--interval", "1", "--jitter", "0"],
    env: { KEEPER_PRIVATE_KEY: devnet.keeper.privateKey },
  });
  cleanUps.push(() => keeper.dispose());
  return stage;
}

function quick() {
  return { keepalive: false, signal: AbortSignal.timeout(1_000) };
}
