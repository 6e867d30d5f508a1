import type { ChainBlock } from "@dueday/chain/block/chainBlock";
import type { ChainClient } from "@dueday/chain/client/createChainClient";
import type { Config } from "@dueday/config/parseConfig";
import { markSnapshotsOrphaned } from "@dueday/db/queries/markSnapshotsOrphaned";
import { readSnapshots } from "@dueday/db/queries/readSnapshots";
import type { Hex } from "viem";
import type { ChainContext } from "./context";
import { startIndexer } from "./indexer/startIndexer";
import { chainJobs } from "./jobs/chainJobs";
import type { JobName } from "./jobs/job";
import { observeJob } from "./jobs/observeJob";
import type { WorkMetrics } from "./metrics/workMetrics";
import { createBullmqScheduler } from "./scheduler/bullmq";
import { createInProcessScheduler } from "./scheduler/inProcess";
import { queueNameOf } from "./scheduler/queueNameOf";
import type { Scheduler } from "./scheduler/scheduler";
import type { KnownBlock } from "./watch/knownBlocks";
import { watchHead } from "./watch/watchHead";

/** What a new block that matters asks for at once. */
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
  const watch = watchHead({
    client: headClient,
    contract,
    logger,
    readSeen: () => blocksOfSnapshots(context),
    onBlock: ({ number, hash }: ChainBlock) => askForScans(scheduler, number, hash),
    async onReorg(fromBlock) {
      metrics.noteReorganisation();
      await markSnapshotsOrphaned(database, { chainId, contract, fromBlock });
    },
  });
  const indexer = startIndexer(context, metrics.noteRpcRequest);
  logger.info("working on the chain");
  return {
    async stop() {
      await Promise.all([watch.stop(), indexer.stop(), scheduler.close()]);
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

async function askForScans(scheduler: Scheduler, atLeastBlock: bigint, hash: Hex): Promise<void> {
  for (const name of ON_BLOCK) await scheduler.request(name, { atLeastBlock }, hash);
}

/** A block that a snapshot speaks of may have been replaced while no worker ran. */
async function blocksOfSnapshots({ chain, database }: ChainContext): Promise<KnownBlock[]> {
  const { chainId, contract } = chain;
  const snapshots = await readSnapshots(database, { chainId, contract, keys: [""] });
  const current = snapshots.filter(({ orphaned }) => !orphaned);
  // The database returns what the worker wrote there: a block hash.
  return current.map(({ blockNumber, blockHash }) => ({ number: blockNumber, hash: blockHash as Hex }));
}
