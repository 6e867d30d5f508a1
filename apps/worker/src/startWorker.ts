import { clockBound } from "@dueday/chain/client/createBlockJudge";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createEndpoints, type Endpoints } from "@dueday/chain/client/createEndpoints";
import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import type { PlanAlarm } from "@dueday/chain/remit/planBacklog";
import { bulkReads } from "@dueday/chain/remit/state/bulkReads";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import { muteLogger } from "@dueday/config/muteLogger";
import type { Config } from "@dueday/config/parseConfig";
import { resolveHost } from "@dueday/config/resolveHost";
import { aborted } from "@dueday/core/aborted";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { holdLease } from "@dueday/db/holdLease";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import { watchDatabase } from "@dueday/db/watchDatabase";
import { createSecretBox } from "@dueday/db/webhooks/secretBox";
import { createRegistry, type Registry } from "@dueday/metrics/createRegistry";
import type { Traces } from "@dueday/metrics/traces/traces";
import type { ChainContext } from "./context";
import { createScanProgress } from "./createScanProgress";
import { createWorkerReports, type WorkerReports } from "./createWorkerReports";
import { chainMetrics } from "./metrics/chainMetrics";
import { mailMetrics } from "./metrics/mailMetrics";
import { webhookMetrics } from "./metrics/webhookMetrics";
import { type WorkMetrics, workMetrics } from "./metrics/workMetrics";
import { prepareChain } from "./prepareChain";
import { openMailServer } from "./reminders/openMailServer";
import { startReminders } from "./reminders/startReminders";
import { watchNode } from "./watchNode";
import { startDelivery } from "./webhooks/startDelivery";
import { workOnChain } from "./workOnChain";

export type WorkerParts = {
  /** Migrated. The caller closes it. */
  database: Database;
  /**
   * URL of that database, for separate connections. Default: webhooks are not delivered, no reminders are sent, and API processes can't ask
   * for proofs.
   */
  databaseUrl?: string;
  logger: Logger;
  clock: () => number;
  /** RPC endpoints by chain id, where other parts of this process use them too. Default: the worker's own. */
  endpoints?: ReadonlyMap<number, Endpoints>;
  /**
   * Milliseconds between two polls of the head. Setting it also requests a scan after each block, so it is for chains whose node costs nothing.
   * Default: the pace of the chain's profile, and scans after the blocks that need one (`needsScan`).
   */
  headEveryMs?: number | undefined;
  /** Registry for this process's metrics. Default: one that is not served. */
  registry?: Registry;
  /** Spans of jobs, of their calls of nodes, and of deliveries; null, the default: none are made. */
  traces?: Traces | null;
  /** Called when the worker can never work on a chain: the process should end with this message. */
  onFatal(error: Error): void;
};

export type RunningWorker = {
  /** Ends all work within some seconds, finished or not. */
  stop(): Promise<void>;
};

/**
 * Planning by simulation is the longest request, and nodes end such a request after 5 s by default. With a much longer timeout, a request
 * that is never answered would keep the scans waiting after its node has come back.
 */
const SCAN_TIMEOUT_MS = 7_000;
const HEAD_TIMEOUT_MS = 5_000;
/** This and closing the database take less than the 10 s in which a process has to end. */
const STOP_TIMEOUT_MS = 7_000;

/** Starts to work on every chain of the settings, in the background; retries until the nodes answer. */
export function startWorker(config: Config, parts: WorkerParts): RunningWorker {
  const aborter = new AbortController();
  const { database, clock, registry = createRegistry(), traces = null } = parts;
  const watch = watchDatabase({
    database:
      parts.databaseUrl === undefined ? unowned(database) : connectDatabase({ url: parts.databaseUrl, poolSize: 1 }),
    onAway: (err) => parts.logger.warn({ err }, "the database does not answer: work goes on when it does"),
    onBack: (awaySeconds) => parts.logger.info({ awaySeconds }, "the database answers again"),
  });
  const logger = muteLogger(parts.logger, watch.covers);
  const reports = createWorkerReports({ database, logger, clock });
  const metrics = workMetrics(registry);
  chainMetrics(registry, { chains: config.chains, database, logger, clock });
  const chains = config.chains.map((chain) =>
    runChain(config, chain, {
      ...parts,
      logger,
      reports,
      traces,
      metrics: metrics(chain.chainId),
      signal: aborter.signal,
    }),
  );
  const delivery = startWebhooks(config, { ...parts, logger, registry, traces });
  const reminders = startMails(config, { ...parts, logger, registry });
  return {
    async stop() {
      aborter.abort();
      const ending = [...chains, delivery.stop(), reminders.stop(), reports.stop(), watch.close()];
      await Promise.race([Promise.all(ending), Bun.sleep(STOP_TIMEOUT_MS)]);
    },
  };
}

/** The same database with a `close()` that does nothing: its owner closes it. */
function unowned(database: Database): Database {
  return { ...database, close: async () => {} };
}

/** Delivers to webhooks, unless there can be none. */
function startWebhooks(
  { secretsKey, chains: contracts, webhooksToLoopback: toLoopback }: Config,
  { databaseUrl, logger, clock, registry, traces }: WorkerParts & { registry: Registry; traces: Traces | null },
): { stop(): Promise<void> } {
  if (databaseUrl === undefined || secretsKey === null) return { stop: async () => {} };
  // A separate pool: hundreds of deliveries must not keep the indexer waiting for a connection.
  const database = connectDatabase({ url: databaseUrl });
  const delivery = startDelivery({
    database,
    databaseUrl,
    contracts,
    logger,
    clock,
    toLoopback,
    resolve: resolveHost,
    random: Math.random,
    box: createSecretBox(secretsKey),
    metrics: webhookMetrics(registry, { contracts, database, logger, clock, traces }),
  });
  return { stop: () => delivery.stop().then(() => database.close()) };
}

/** Reminds by e-mail, where the settings have a mail server. */
function startMails(
  { mail: settings, secretsKey, chains: contracts }: Config,
  { databaseUrl, logger, clock, registry }: WorkerParts & { registry: Registry },
): { stop(): Promise<void> } {
  if (databaseUrl === undefined || settings === null) return { stop: async () => {} };
  if (secretsKey === null) {
    logger.warn("no reminders are sent: SECRETS_KEY, which encrypts mailboxes, is not set");
    return { stop: async () => {} };
  }
  // A separate pool: mails must not keep the indexer waiting for a connection.
  const database = connectDatabase({ url: databaseUrl, poolSize: 4 });
  const reminders = startReminders({
    database,
    databaseUrl,
    contracts,
    settings,
    logger,
    clock,
    random: Math.random,
    secrets: createMailSecrets(secretsKey),
    server: openMailServer(settings),
    metrics: mailMetrics(registry, { database, logger, clock }),
  });
  return { stop: () => reminders.stop().then(() => database.close()) };
}

type ChainParts = WorkerParts & {
  metrics: WorkMetrics;
  traces: Traces | null;
  reports: WorkerReports;
  signal: AbortSignal;
};

/** Resolves when the chain's work has ended, after an abort. */
async function runChain(config: Config, chain: ChainConfig, parts: ChainParts): Promise<void> {
  const { chainId, rpcUrls, txGasCap } = chain;
  const { database, databaseUrl, clock, onFatal, metrics, traces, reports, signal, headEveryMs } = parts;
  const onRequest = metrics.noteRpcRequest;
  const chainLogger = parts.logger.child({ chainId });
  const nodeWatch = watchNode({
    onAway: (err) => chainLogger.warn({ err }, "no node of the chain can be used: work continues when one can"),
    onBack: (awaySeconds) => chainLogger.info({ awaySeconds }, "the chain's node can be used again"),
  });
  const logger = muteLogger(chainLogger, nodeWatch.covers);
  const endpoints =
    parts.endpoints?.get(chainId) ?? createEndpoints({ chainId, rpcUrls, clockBound: clockBound(chain, clock) });
  const node = { endpoints, txGasCap, onRequest, onCall: traces?.onCall(chainId) };
  const client = createChainClient({ ...node, purpose: "scan", requestTimeoutMs: SCAN_TIMEOUT_MS });
  const headClient = createChainClient({ ...node, purpose: "head", requestTimeoutMs: HEAD_TIMEOUT_MS });
  const progress = createScanProgress(clock, reports.hurry);
  const stateCache = createRemitStateCache(chain.contract, progress.over(bulkReads));
  const { planCaller, eventsRetentionDays } = config;
  const onPlanAlarm = (alarm: PlanAlarm) => {
    logPlanAlarm(logger, alarm);
    metrics.notePlanAlarm(alarm.kind);
  };
  const context: ChainContext = {
    head: () => null,
    covered: () => null,
    chain,
    client,
    database,
    logger,
    clock,
    stateCache,
    onPlanAlarm,
    planCaller,
    eventsRetentionDays,
    scans: { plan: null, due: null },
    progress,
  };
  try {
    // The head is not followed yet, so no watch reports the node's faults: `prepareChain` logs them itself.
    if (!(await prepareChain({ ...context, logger: chainLogger }, signal))) return;
    logger.info({ chainId }, "ready to work on the chain, as soon as no other worker does");
    await holdLease(database, {
      name: `work on ${chainId} ${chain.contract}`,
      signal,
      async work(held) {
        const work = workOnChain(config, context, {
          databaseUrl,
          headClient,
          metrics,
          traces,
          reports,
          headEveryMs,
          nodeWatch,
        });
        await aborted(held);
        await work.stop();
      },
      onFault: (error) =>
        logger.warn(
          { err: error },
          "this worker has stopped working on the chain, or has not begun: the database did not confirm its lease",
        ),
    });
  } catch (error) {
    onFatal(error instanceof Error ? error : new Error("the worker failed", { cause: error }));
  }
}
