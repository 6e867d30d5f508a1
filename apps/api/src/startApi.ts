import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { ChainConfig } from "@dueday/config/chains";
import { createLineLog } from "@dueday/config/createLineLog";
import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { Database } from "@dueday/db/connectDatabase";
import { createRegistry, type Registry } from "@dueday/metrics/createRegistry";
import { rpcMetrics } from "@dueday/metrics/rpcMetrics";
import packageJson from "../package.json" with { type: "json" };
import { monitorChain } from "./chains/monitorChain";
import type { ServedChain } from "./chains/servedChain";
import { verifyDatabase } from "./chains/verifyDatabase";
import { openHistory } from "./history/openHistory";
import type { Service } from "./http/service";
import { type RunningAccess, startAccess } from "./identity/startAccess";
import { requestMetrics } from "./metrics/requestMetrics";
import { serviceMetrics } from "./metrics/serviceMetrics";
import type { ServiceFacts } from "./operation/context";
import type { Operation } from "./operation/defineOperation";
import { operations } from "./operations/operations";
import { feedSnapshots } from "./snapshots/feedSnapshots";
import { createSnapshotCache } from "./snapshots/snapshotCache";
import { createRest } from "./surfaces/rest/rest";

/** What an API process is given: it owns none of it, and closes none of it. */
export type ApiParts = {
  logger: Logger;
  database: Database;
  /** For the connection that listens. */
  databaseUrl: string;
  /** Where its metrics are told. Default: nowhere. */
  registry?: Registry;
  /** Unix milliseconds. Default: the machine's clock. */
  clock?: () => number;
  /** Hold every answer against its schema. Default false. */
  checkOutputs?: boolean;
  /** What it can do. Default: everything. */
  operations?: readonly Operation[];
  /** Between two looks at each chain's node. */
  monitorIntervalMs?: number;
  /** How long the limiter waits for Redis, milliseconds. Default 100, as the contract says. */
  redisDeadlineMs?: number;
};

export type RunningApi = {
  /** Base URL that it listens on. */
  url: string;
  /** Takes no new requests, lets those under way end, and lets go of the chains and the database. */
  stop(): Promise<void>;
};

const RPC_TIMEOUT_MS = 5_000;
/** Below the age at which reads may still be pinned to the head it saw: they need not ask for it themselves. */
const MONITOR_INTERVAL_MS = 1_500;
const LONGEST_REREAD_MS = 30_000;
/** Above the longest deadline of an operation: a socket waits in silence while its handler works. */
const IDLE_TIMEOUT_SECONDS = 60;
/** Together with the end of the database's connections below the 10 s that a process has to end in. */
const STOP_PATIENCE_MS = 6_000;
const CLOSE_PATIENCE_MS = 1_500;

/**
 * Starts an API process. It serves as soon as it listens: chains are checked in the background, and one that fails its check
 * does not hold up the others.
 *
 * @throws Error when the port is in use.
 */
export async function startApi(config: Config, parts: ApiParts): Promise<RunningApi> {
  const { logger, database, databaseUrl } = parts;
  const clock = parts.clock ?? Date.now;
  const registry = parts.registry ?? createRegistry();
  const onRpcRequest = rpcMetrics(registry, "api");
  const chains = config.chains.map((chain) => openChain(chain, config, parts, { clock, onRpcRequest }));
  const feed = feedSnapshots({
    database,
    databaseUrl,
    logger,
    chains: chains.map(({ config: { chainId, contract }, snapshots }) => ({ chainId, contract, cache: snapshots })),
    rereadMs: Math.min(LONGEST_REREAD_MS, config.staleAfterMs),
  });
  const close = async () => {
    await Promise.all([feed.close(), access?.close(), ...chains.map((chain) => chain.monitor.stop())]);
  };
  let access: RunningAccess | undefined;
  try {
    access = await startAccess({ config, logger, database, clock, redisDeadlineMs: parts.redisDeadlineMs });
    const { checkLimiter } = access;
    const { managesKeys, countKeyCreation, keys } = access.access;
    const facts: ServiceFacts & Pick<Service, "operations"> = {
      version: packageJson.version,
      config,
      operations: parts.operations ?? operations,
      chains: new Map(chains.map((chain) => [chain.config.chainId, chain])),
      defaultChain: defaultOf(chains, config.defaultRestChainId),
      startedAt: clock(),
      checks: () => ({
        database: feed.check(),
        queue: { status: "off", reason: "this process uses no queue" },
        limiter: checkLimiter(),
      }),
    };
    const service: Service = {
      ...facts,
      logger,
      clock,
      context: {
        database,
        clock,
        logger,
        service: facts,
        keys: managesKeys ? { countCreation: countKeyCreation, forget: (id) => keys.forget(id) } : null,
        checkOutputs: parts.checkOutputs ?? false,
      },
      requestLines: createLineLog(logger),
      noteRequest: requestMetrics(registry),
      access: access.access,
    };
    serviceMetrics(registry, service);
    await feed.ready;
    const server = listen(config, service);
    const url = `http://${server.hostname?.includes(":") ? `[${server.hostname}]` : server.hostname}:${server.port}`;
    logger.info({ url, chains: [...service.chains.keys()] }, "API listens");
    return {
      url,
      async stop() {
        await Promise.race([server.stop(), Bun.sleep(STOP_PATIENCE_MS).then(() => server.stop(true))]);
        // What still waits for a node that does not answer is left behind.
        await Promise.race([close(), Bun.sleep(CLOSE_PATIENCE_MS)]);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

type Observers = { clock: () => number; onRpcRequest: ReturnType<typeof rpcMetrics> };

function openChain(
  chain: ChainConfig,
  config: Config,
  parts: ApiParts,
  { clock, onRpcRequest }: Observers,
): ServedChain {
  const { chainId, rpcUrls } = chain;
  const onRequest = onRpcRequest(chainId);
  const client = createChainClient({ chainId, rpcUrls, requestTimeoutMs: RPC_TIMEOUT_MS, onRequest });
  const { logger, database, monitorIntervalMs: intervalMs = MONITOR_INTERVAL_MS } = parts;
  const snapshots = createSnapshotCache({ chainId, staleAfterMs: config.staleAfterMs, clock });
  const verify = () => verifyDatabase({ chain, client, snapshots, database, logger });
  return {
    config: chain,
    client,
    monitor: monitorChain({ chain, client, logger, intervalMs, clock, verify }),
    snapshots,
    history: openHistory({ chain, client, config, database, clock }),
    remitState: createRemitStateCache(chain.contract),
    inFlight: new Map(),
  };
}

function defaultOf(chains: readonly ServedChain[], chainId: number): ServedChain {
  const chain = chains.find((each) => each.config.chainId === chainId);
  if (chain === undefined) throw new Error(`the default chain ${chainId} is not among the chains`);
  return chain;
}

function listen(config: Config, service: Service) {
  try {
    return Bun.serve({
      hostname: config.host,
      port: config.port,
      // With it a second process would start without an error and take half of the requests.
      reusePort: false,
      idleTimeout: IDLE_TIMEOUT_SECONDS,
      // Its error pages are not ours, and each request would pay for them.
      development: false,
      // Bun's own refusal has no body: sizes are judged by `readBody`, before anything is read.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
      fetch: createRest(service),
      error(error) {
        service.logger.error({ err: error }, "a request failed outside of its handler");
        return new Response('{"error":"The service met an internal error","code":"INTERNAL"}', {
          status: 500,
          headers: { "Content-Type": "application/json" },
        });
      },
    });
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EADDRINUSE") {
      throw new Error(`port ${config.port} of ${config.host} is in use: stop the other process, or set PORT`);
    }
    throw error;
  }
}
