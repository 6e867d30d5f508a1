import type { Endpoints } from "@dueday/chain/client/createEndpoints";
import type { Logger } from "@dueday/config/createLogger";
import { muteLogger } from "@dueday/config/muteLogger";
import type { Config } from "@dueday/config/parseConfig";
import { resolveHost } from "@dueday/config/resolveHost";
import { withoutTrailing } from "@dueday/core/text/withoutTrailing";
import type { ResolveHost } from "@dueday/core/webhooks/resolveWebhookHost";
import { connectDatabase, type Database } from "@dueday/db/connectDatabase";
import { createMailSecrets } from "@dueday/db/reminders/mailSecrets";
import { watchDatabase } from "@dueday/db/watchDatabase";
import { createSecretBox } from "@dueday/db/webhooks/secretBox";
import { createRegistry, type Registry } from "@dueday/metrics/createRegistry";
import { rpcMetrics } from "@dueday/metrics/rpcMetrics";
import type { Traces } from "@dueday/metrics/traces/traces";
import packageJson from "../package.json" with { type: "json" };
import { openChain } from "./chains/openChain";
import type { ServedChain } from "./chains/servedChain";
import { createQueueReports } from "./health/queueCheck";
import { createApp } from "./http/createApp";
import { createCors } from "./http/createCors";
import { createFinish } from "./http/createFinish";
import { createGate } from "./http/gate";
import { listen } from "./http/listen";
import { createOpenCall } from "./http/openCall";
import { createPortalGate } from "./http/portalGate";
import { createTakeBuckets } from "./http/requestLimits";
import { createRequestLog } from "./http/requestLog";
import { type Route, switchOff } from "./http/routes";
import { createUnreadAnswers } from "./http/unreadAnswers";
import { type Identity, startIdentity } from "./identity/startIdentity";
import { unreadAnswers } from "./limits/policy";
import { type RunningLimiter, startLimiter } from "./limits/startLimiter";
import { describeRequests } from "./metrics/describeRequests";
import { type NoteRequest, requestMetrics } from "./metrics/requestMetrics";
import { serviceMetrics } from "./metrics/serviceMetrics";
import type { ProcessContext, ServiceFacts, WebhookManagement } from "./operation/context";
import type { Operation } from "./operation/defineOperation";
import { operations as allOperations } from "./operations/operations";
import { feedSnapshots } from "./snapshots/feedSnapshots";
import { createAppConfig } from "./surfaces/app/appConfig";
import { appRoutes, redirectBrowsers } from "./surfaces/app/appRoutes";
import { checkoutRoutes } from "./surfaces/app/checkoutRoutes";
import { readAppFolder } from "./surfaces/app/readAppFolder";
import { docsRoutes } from "./surfaces/docs/docsRoutes";
import { llmsText } from "./surfaces/docs/llmsText";
import { createEventStreams, type EventStreams } from "./surfaces/events/eventStreams";
import { mailLinkRoutes } from "./surfaces/mails/mailLinkRoutes";
import { mcpRoutes } from "./surfaces/mcp/mcpRoutes";
import { createOpenApi, type ExampleInputs } from "./surfaces/openapi/openapi";
import { restRoutes } from "./surfaces/rest/restRoutes";

/** The parts that an API process uses and does not own: it closes none of them. */
export type ApiParts = {
  logger: Logger;
  database: Database;
  /** For the connection that listens. */
  databaseUrl: string;
  /** RPC endpoints by chain id, where other parts of this process use them too. Default: those of each chain's settings. */
  endpoints?: ReadonlyMap<number, Endpoints>;
  /** Registry for this process's metrics. Default: a registry that is not served. */
  registry?: Registry;
  /** Makes spans of requests and of their calls to nodes. Default: null, without spans. */
  traces?: Traces | null;
  /** Unix milliseconds. Default: the machine's clock. */
  clock?: () => number;
  /** Compare every answer with its schema. Default false. */
  checkOutputs?: boolean;
  /** The folder of the built web app, served at /app. Default: none is served. */
  appFolder?: string;
  /** Default: all operations. */
  operations?: readonly Operation[];
  /** Inputs that the default chain can answer, for the examples of the OpenAPI document. Default: each operation's example. */
  exampleInputs?: ExampleInputs | undefined;
  /** Milliseconds between two checks of each chain's node. */
  monitorIntervalMs?: number;
  /** How long the limiter waits for Redis, milliseconds. Default 100. */
  redisDeadlineMs?: number;
  /** Unix milliseconds for limits on Redis, for tests. Default: Redis's own clock. */
  redisClock?: (() => number) | undefined;
  /** Between two comments in a stream without events. Default 15 s. */
  beatMs?: number;
  /** Resolves the host names of webhooks. Default: the system's resolver. */
  resolveWebhookHost?: ResolveHost;
};

export type RunningApi = {
  /** Base URL that it listens on. */
  url: string;
  /** Accepts no new requests, lets running ones end, and stops what runs in the background. */
  stop(): Promise<void>;
};

const LONGEST_REREAD_MS = 30_000;
/** Both times, and the closing of the database's connections, are together below the 10 s in which a process has to end. */
const STOP_PATIENCE_MS = 6_000;
const CLOSE_PATIENCE_MS = 1_500;

/**
 * Starts an API process. It serves as soon as it listens: chains are checked in the background, and a chain that fails its check
 * does not delay the others.
 *
 * @throws Error when the port is in use.
 */
export async function startApi(config: Config, parts: ApiParts): Promise<RunningApi> {
  const { database, databaseUrl, clock = Date.now, registry = createRegistry(), traces = null } = parts;
  const watch = watchDatabase({
    database: connectDatabase({ url: databaseUrl, poolSize: 1 }),
    onAway: (err) => parts.logger.warn({ err }, "the database does not answer: what is in memory is served"),
    onBack: (awaySeconds) => parts.logger.info({ awaySeconds }, "the database answers again"),
  });
  const logger = muteLogger(parts.logger, watch.covers);
  const queues = createQueueReports(() => performance.now());
  const { monitorIntervalMs, redisDeadlineMs, redisClock, operations = allOperations, beatMs } = parts;
  const onRpcRequest = rpcMetrics(registry, "api");
  const chains = config.chains.map((chain) =>
    openChain(chain, {
      config,
      logger,
      database,
      clock,
      onRpcRequest,
      traces,
      monitorIntervalMs,
      endpoints: parts.endpoints?.get(chain.chainId),
    }),
  );
  const feed = feedSnapshots({
    database,
    databaseUrl,
    logger,
    chains: chains.map(({ config: { chainId, contract }, snapshots }) => ({ chainId, contract, cache: snapshots })),
    rereadMs: Math.min(LONGEST_REREAD_MS, config.staleAfterMs),
    onWorker: queues.hear,
    onHead(message) {
      const chain = chains.find(
        ({ config: { chainId, contract } }) => chainId === message.chainId && contract === message.contract,
      );
      chain?.monitor.hear(message);
      chain?.covered.hear(message);
    },
    onConnect: ({ chainId }) => chains.find(({ config: each }) => each.chainId === chainId)?.requestProof(0n, false),
  });
  const close = async () => {
    limiter?.close();
    await Promise.all([
      feed.close(),
      watch.close(),
      streams?.close(),
      identity?.close(),
      ...chains.map((chain) => chain.monitor.stop()),
    ]);
  };
  let limiter: RunningLimiter | undefined;
  let identity: Identity | undefined;
  let streams: EventStreams | undefined;
  try {
    limiter = await startLimiter({ redisUrl: config.redisUrl, logger, clock, deadlineMs: redisDeadlineMs, redisClock });
    const checkLimiter = limiter.check;
    identity = await startIdentity({ config, logger, database, clock, limiter });
    const service: ServiceFacts = {
      version: packageJson.version,
      config,
      operations,
      chains: new Map(chains.map((chain) => [chain.config.chainId, chain])),
      defaultChain: defaultOf(chains, config.defaultRestChainId),
      startedAt: clock(),
      checks: () => ({
        database: watch.isAway() ? DATABASE_AWAY : feed.check(),
        queue: queues.check(),
        limiter: checkLimiter(),
      }),
      scanOf: queues.scanOf,
    };
    serviceMetrics(registry, { ...service, clock, openStreams: () => streams?.open() ?? 0 });
    const context: ProcessContext = {
      database,
      clock,
      logger,
      service,
      keys: identity.keys,
      webhooks: webhookManagement(config, parts.resolveWebhookHost ?? resolveHost),
      mail: config.mail === null || config.secretsKey === null ? null : createMailSecrets(config.secretsKey),
      checkOutputs: parts.checkOutputs ?? false,
    };
    const takeBuckets = createTakeBuckets(limiter, config);
    const openCall = createOpenCall(limiter);
    const openPortal = createPortalGate({
      portal: identity.portal,
      database,
      limiter,
      limits: config.limits.developer,
      clock,
    });
    streams = createEventStreams({ database, databaseUrl, logger, limiter, chains, clock, beatMs });
    const rest = streams.addTo(restRoutes({ operations, context, openCall, openPortal }));
    const app = config.webEnabled ? await openApp(config, parts) : [];
    const unread = createUnreadAnswers(unreadAnswers);
    const routes: Route[] = [
      ...(app.length > 0 ? redirectBrowsers(rest) : rest),
      ...app,
      ...mailLinkRoutes({ context, openCall }),
      ...mcpRoutes({ config, operations, context, openCall, takeBuckets, unread }),
      ...docsRoutes({
        openApi: () => createOpenApi({ ...service, operations, exampleInputs: parts.exampleInputs }),
        llms: llmsText(operations, withoutTrailing(config.publicUrl ?? "", "/")),
        version: service.version,
      }),
    ];
    const countRequest = requestMetrics(registry);
    const finish = createFinish({
      cors: createCors(config.corsOrigins),
      logRequest: createRequestLog(logger),
      countRequest: traces === null ? countRequest : noteBoth(countRequest, describeRequests(traces)),
    });
    const gate = createGate({
      allowedHosts: config.allowedHosts,
      chains: service.chains,
      defaultChain: service.defaultChain,
      identity,
      takeBuckets,
      finish,
      chainless: new Set(routes.flatMap(({ path, chainless }) => (chainless ? [path] : []))),
      errorForms: new Map(routes.flatMap(({ path, renderError: form }) => (form === undefined ? [] : [[path, form]]))),
    });

    await feed.ready;
    const elysia = createApp(config.apiEnabled ? routes : switchOff(routes), { gate, finish, unread });
    const answer = async (request: Request) => elysia.fetch(request);
    const server = listen(traces === null ? answer : traces.aroundRequests(answer), config, logger);
    gate.usePeers(server);
    const url = `http://${server.hostname?.includes(":") ? `[${server.hostname}]` : server.hostname}:${server.port}`;
    logger.info({ url, chains: [...service.chains.keys()] }, "API listens");
    return {
      url,
      async stop() {
        // A stream is a running request that does not end by itself.
        streams?.end();
        await Promise.race([server.stop(), Bun.sleep(STOP_PATIENCE_MS).then(() => server.stop(true))]);
        // Requests to a node that does not answer are abandoned.
        await Promise.race([close(), Bun.sleep(CLOSE_PATIENCE_MS)]);
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function noteBoth(first: NoteRequest, second: NoteRequest): NoteRequest {
  return (...noted) => {
    first(...noted);
    second(...noted);
  };
}

const DATABASE_AWAY = {
  status: "down",
  reason: "the database does not answer; answers come from memory and become stale",
} as const;

/** The routes of the web app and of checkouts; none where it was not built. */
async function openApp(
  config: Config,
  { appFolder, logger, database }: Pick<ApiParts, "appFolder" | "logger" | "database">,
): Promise<Route[]> {
  if (appFolder === undefined) return [];
  const folder = await readAppFolder(appFolder);
  if (folder !== null) {
    const appConfig = createAppConfig(config, packageJson.version);
    return [...appRoutes(folder, appConfig), ...checkoutRoutes(folder, { config: appConfig, database })];
  }
  logger.warn("the web app is not built, so /app is not served: run `bun run web:build`, or set WEB_ENABLED to false");
  return [];
}

function webhookManagement(
  { secretsKey, webhooksToLoopback: toLoopback }: Config,
  resolve: ResolveHost,
): WebhookManagement | null {
  if (secretsKey === null) return null;
  return { box: createSecretBox(secretsKey), resolve, toLoopback };
}

function defaultOf(chains: readonly ServedChain[], chainId: number): ServedChain {
  const chain = chains.find((each) => each.config.chainId === chainId);
  if (chain === undefined) throw new Error(`the default chain ${chainId} is not among the chains`);
  return chain;
}
