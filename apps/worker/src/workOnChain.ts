import { clockBound } from "@dueday/chain/client/createBlockJudge";
import { type ChainClient, createChainClient } from "@dueday/chain/client/createChainClient";
import { createEndpoints } from "@dueday/chain/client/createEndpoints";
import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { IndexedLog } from "@dueday/db/eventIndex/indexedLog";
import { listenProofRequests } from "@dueday/db/proofRequest";
import { markSnapshotsOrphaned } from "@dueday/db/snapshots/markSnapshotsOrphaned";
import { readSnapshots } from "@dueday/db/snapshots/readSnapshots";
import type { Traces } from "@dueday/metrics/traces/traces";
import type { ChainContext } from "./context";
import { createFaultLog } from "./createFaultLog";
import type { WorkerReports } from "./createWorkerReports";
import { startDomainChecks } from "./domains/startDomainChecks";
import { createFollower } from "./follow/createFollower";
import { createHeadAnnouncer } from "./follow/createHeadAnnouncer";
import type { KnownBlock } from "./follow/createKnownBlocks";
import { createQuietWatch, type QuietWatch } from "./follow/createQuietWatch";
import { needsScan } from "./follow/needsScan";
import { startIndexer } from "./indexer/startIndexer";
import { chainJobs } from "./jobs/chainJobs";
import type { JobName } from "./jobs/job";
import type { ChainUpdate } from "./logs/chainUpdate";
import { createRangeSize } from "./logs/createRangeSize";
import { observeJob } from "./metrics/observeJob";
import type { WorkMetrics } from "./metrics/workMetrics";
import { createBullmqScheduler, queueNameOf } from "./scheduler/bullmq";
import { createInProcessScheduler } from "./scheduler/inProcess";
import type { Scheduler } from "./scheduler/scheduler";
import type { NodeWatch } from "./watchNode";

/** The jobs that are requested at once for a new block that needs a scan (`needsScan`). */
const ON_BLOCK: readonly JobName[] = ["scan_remit", "scan_due"];

/** Blocks in the first request for logs: most endpoints accept more, and those that accept less name their limit. */
const FIRST_RANGE = 500;
/** Requests for wide ranges take long. */
const LOGS_TIMEOUT_MS = 7_000;
/** Pause before scans are requested again from a queue that could not be reached. */
const REQUEST_AGAIN_MS = 1_000;

type WorkParts = {
  /** For notifications of API processes; without it none are received. */
  databaseUrl: string | undefined;
  headClient: ChainClient;
  metrics: WorkMetrics;
  traces: Traces | null;
  reports: WorkerReports;
  headEveryMs: number | undefined;
  nodeWatch: NodeWatch;
};

/**
 * Keeps the snapshots and the event index of a prepared chain up to date until `stop()`, in the one worker that holds the chain's lease.
 * `headClient` has shorter deadlines than the scans'.
 */
export function workOnChain(
  config: Config,
  context: ChainContext,
  { databaseUrl, headClient, metrics, traces, reports, headEveryMs, nodeWatch }: WorkParts,
): { stop(): Promise<void> } {
  const { chain, database, logger } = context;
  const { chainId, contract } = chain;
  const scheduler = createScheduler(config, context, { metrics, traces, headEveryMs });
  const scanRequests = createScanRequests(scheduler, logger);
  metrics.watchQueue(scheduler.count);
  const unwatchQueue = reports.watch(chainId, { ...scheduler, running: context.progress.running });
  const logsClient = openLogsClient(context, metrics);
  const logsSize = createRangeSize({ first: FIRST_RANGE });
  const indexer = startIndexer(context, metrics, {
    logsClient,
    logsSize,
    onCovered: () => announcer.noteCovered(),
    // A scan of a new block may have ended before the index went back. Its snapshots are then orphaned together with those of the replaced
    // blocks, and on a quiet chain nothing else would request new scans for minutes.
    onRewind: () => scanRequests.request(null, `rewind-${crypto.randomUUID()}`),
  });
  const announcer = createHeadAnnouncer(context, indexer.covered);
  const domains = startDomainChecks(context, { servers: config.dnsServers, isPrivate: headEveryMs !== undefined });
  const quiet = createQuietWatch({
    context,
    requestScans: ({ number, hash }, names) => requestScans(scheduler, number, hash, names),
  });
  const proofRequests = databaseUrl === undefined ? null : listenForProofs(databaseUrl, context, quiet);
  const follower = createFollower({
    chainId,
    contract,
    logger,
    client: headClient,
    logsClient,
    // In the fresh profile the follower reads logs from the chain's nodes, even where the index reads them from others.
    rangeSize:
      logsClient === undefined || chain.rpcProfile === "frugal" ? logsSize : createRangeSize({ first: FIRST_RANGE }),
    profile: chain.rpcProfile,
    wsUrl: chain.wsUrl,
    headEveryMs,
    readSnapshotBlocks: () => snapshotBlocks(context),
    async onUpdate(update) {
      indexer.update(update);
      if (update.lateLogs.length > 0) await takeBack(context, update.lateLogs);
      if (headEveryMs !== undefined || needsScan(update)) scanRequests.request(update.head.number, keyOf(update));
      void quiet.note(update);
    },
    async onReorg(fromBlock) {
      await markSnapshotsOrphaned(database, { chainId, contract, fromBlock });
      metrics.noteReorganisation();
    },
    onHead(head, validForMs) {
      announcer.announce(head, validForMs);
      if (head === null) return;
      nodeWatch.noteAnswer();
      indexer.noteHead();
    },
    onFailure: nodeWatch.noteFailure,
  });
  context.head = follower.head;
  context.covered = () => {
    const covered = indexer.covered();
    return covered && { ...covered, confirmedAt: new Date(context.clock()), blockAt: () => undefined };
  };
  logger.info("working on the chain");
  return {
    async stop() {
      unwatchQueue();
      quiet.stop();
      scanRequests.stop();
      context.head = () => null;
      context.covered = () => null;
      context.scans = { plan: null, due: null };
      await Promise.all([follower.stop(), indexer.stop(), domains.stop(), scheduler.close(), proofRequests?.close()]);
      announcer.stop();
    },
  };
}

/** A client of the nodes that the settings name for logs. */
function openLogsClient({ chain, clock }: ChainContext, { noteRpcRequest }: WorkMetrics): ChainClient | undefined {
  const { chainId, logsRpcUrls } = chain;
  if (logsRpcUrls.length === 0) return undefined;
  const endpoints = createEndpoints({ chainId, rpcUrls: logsRpcUrls, clockBound: clockBound(chain, clock) });
  return createChainClient({
    endpoints,
    purpose: "logs",
    requestTimeoutMs: LOGS_TIMEOUT_MS,
    onRequest: noteRpcRequest,
  });
}

function createScheduler(
  config: Config,
  context: ChainContext,
  { metrics, traces, headEveryMs }: Pick<WorkParts, "metrics" | "traces" | "headEveryMs">,
): Scheduler {
  const { chain, logger } = context;
  const jobs = chainJobs(context, config, { isPrivate: headEveryMs !== undefined }).map((job) =>
    observeJob(job, { chainId: chain.chainId, logger, metrics, traces }),
  );
  const options = { jobs, logger };
  if (config.redisUrl === null) return createInProcessScheduler(options);
  return createBullmqScheduler({ ...options, redisUrl: config.redisUrl, queueName: queueNameOf(chain) });
}

/** API processes ask for proofs: for a request with `minBlock`, or where a live answer contradicts the stored one. */
function listenForProofs(url: string, { chain, logger }: ChainContext, quiet: QuietWatch): { close(): Promise<void> } {
  return listenProofRequests({
    url,
    onRequest(request) {
      if (request.chainId === chain.chainId && request.contract === chain.contract) void quiet.request(request);
    },
    onDisconnect: (error) => logger.warn({ err: error }, "requests of proofs do not arrive"),
  });
}

/**
 * Requests scans until the queue takes them; a later request replaces one that waits. No caller waits: the index needs no queue, so
 * events are followed while the queue can't be reached.
 */
function createScanRequests(scheduler: Scheduler, logger: Logger) {
  const texts = { failed: "scans can't be requested; retrying", succeeded: "scans are requested again" };
  const faults = createFaultLog(logger, texts);
  let waiting: { atLeastBlock: bigint | null; key: string } | null = null;
  let isActive = false;
  let isStopped = false;

  async function run(): Promise<void> {
    isActive = true;
    while (waiting !== null && !isStopped) {
      const request: NonNullable<typeof waiting> = waiting;
      try {
        await requestScans(scheduler, request.atLeastBlock, request.key);
        if (waiting === request) waiting = null;
        faults.succeeded();
      } catch (error) {
        faults.failed(error);
        await Bun.sleep(REQUEST_AGAIN_MS);
      }
    }
    isActive = false;
  }

  return {
    request(atLeastBlock: bigint | null, key: string): void {
      waiting = { atLeastBlock, key };
      if (!isActive) void run();
    },
    stop(): void {
      isStopped = true;
    },
  };
}

async function requestScans(
  scheduler: Scheduler,
  atLeastBlock: bigint | null,
  key: string,
  names: readonly JobName[] = ON_BLOCK,
): Promise<void> {
  for (const name of names) await scheduler.request(name, { atLeastBlock }, key);
}

/** Requests with the same key are one. Late logs change the key, so that the block is scanned again. */
function keyOf({ head, lateLogs }: ChainUpdate): string {
  const [late] = lateLogs;
  return late === undefined ? head.hash : `${head.hash}-${late.blockHash}-${late.logIndex}`;
}

/** Orphans the snapshots from the block of a late log on, because they were read or confirmed without that log. */
async function takeBack({ chain, database, stateCache }: ChainContext, lateLogs: readonly IndexedLog[]): Promise<void> {
  stateCache.forget();
  const fromBlock = BigInt(Math.min(...lateLogs.map(({ blockNumber }) => blockNumber)));
  const { chainId, contract } = chain;
  await markSnapshotsOrphaned(database, { chainId, contract, fromBlock });
}

/** The blocks of the stored snapshots: one may have been replaced while no worker ran. */
async function snapshotBlocks({ chain, database }: ChainContext): Promise<KnownBlock[]> {
  const { chainId, contract } = chain;
  const snapshots = await readSnapshots(database, { chainId, contract, keys: [""] });
  const current = snapshots.filter(({ orphaned }) => !orphaned);
  return current.map(({ blockNumber, blockHash }) => ({ number: blockNumber, hash: blockHash }));
}
