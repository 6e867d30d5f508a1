import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { Config } from "@dueday/config/parseConfig";
import { markSnapshotsOrphaned } from "@dueday/db/queries/markSnapshotsOrphaned";
import { readSnapshots } from "@dueday/db/queries/readSnapshots";
import type { Hex } from "viem";
import type { ChainContext } from "./context";
import type { KnownBlock } from "./follow/createKnownBlocks";
import { followHead } from "./follow/followHead";
import { startIndexer } from "./indexer/startIndexer";
import type { Job, JobName } from "./jobs/job";
import { observeJob } from "./jobs/observeJob";
import { prune } from "./jobs/prune";
import { scanDue } from "./jobs/scanDue";
import { scanRemit } from "./jobs/scanRemit";
import type { WorkMetrics } from "./metrics/workMetrics";
import { createBullmqScheduler, queueNameOf } from "./scheduler/bullmq";
import { createInProcessScheduler } from "./scheduler/inProcess";
import type { Scheduler } from "./scheduler/scheduler";

const HOUR_MS = 3_600_000;
/** The jobs that a new block requests at once. */
const ON_BLOCK: readonly JobName[] = ["scan_remit", "scan_due"];

/** Keeps the snapshots and the event index of a prepared chain up to date until `stop()`. `headClient` has shorter deadlines than the scans'. */
export function workOnChain(
  config: Config,
  context: ChainContext,
  { headClient, metrics }: { headClient: ChainClient; metrics: WorkMetrics },
): { stop(): Promise<void> } {
  const { chain, database, logger } = context;
  const { chainId, contract } = chain;
  const scheduler = createScheduler(config, context, metrics);
  metrics.watchQueue(scheduler.count);
  const following = followHead({
    client: headClient,
    contract,
    logger,
    readSnapshotBlocks: () => snapshotBlocks(context),
    onBlock: ({ number, hash }: ChainBlock) => requestScans(scheduler, number, hash),
    async onReorg(fromBlock) {
      metrics.noteReorganisation();
      await markSnapshotsOrphaned(database, { chainId, contract, fromBlock });
    },
  });
  const indexer = startIndexer(context, metrics.noteRpcRequest);
  logger.info("working on the chain");
  return {
    async stop() {
      await Promise.all([following.stop(), indexer.stop(), scheduler.close()]);
    },
  };
}

function createScheduler(config: Config, context: ChainContext, metrics: WorkMetrics): Scheduler {
  const { chain, logger } = context;
  const jobs = chainJobs(context, config).map((job) => observeJob(job, logger, metrics));
  const options = { jobs, logger };
  if (config.redisUrl === null) return createInProcessScheduler(options);
  return createBullmqScheduler({ ...options, redisUrl: config.redisUrl, queueName: queueNameOf(chain) });
}

/** The jobs of a chain, most urgent first. The indexer is not among them: a backfill must not keep the scans waiting. */
function chainJobs(context: ChainContext, { scanIntervalMs }: Config): Job[] {
  return [
    { name: "scan_remit", everyMs: scanIntervalMs, run: (request) => scanRemit(context, request) },
    { name: "scan_due", everyMs: scanIntervalMs, run: (request) => scanDue(context, request) },
    { name: "prune", everyMs: HOUR_MS, run: () => prune(context) },
  ];
}

async function requestScans(scheduler: Scheduler, atLeastBlock: bigint, hash: Hex): Promise<void> {
  for (const name of ON_BLOCK) await scheduler.request(name, { atLeastBlock }, hash);
}

/** The blocks of the stored snapshots: one may have been replaced while no worker ran. */
async function snapshotBlocks({ chain, database }: ChainContext): Promise<KnownBlock[]> {
  const { chainId, contract } = chain;
  const snapshots = await readSnapshots(database, { chainId, contract, keys: [""] });
  const current = snapshots.filter(({ orphaned }) => !orphaned);
  // The database returns what the worker wrote there: a block hash.
  return current.map(({ blockNumber, blockHash }) => ({ number: blockNumber, hash: blockHash as Hex }));
}
