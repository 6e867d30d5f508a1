import { clockBound } from "@dueday/chain/client/createBlockJudge";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createEndpoints, type Endpoints } from "@dueday/chain/client/createEndpoints";
import { createRpcUsage } from "@dueday/chain/client/createRpcUsage";
import { createSharedReadiness } from "@dueday/chain/remit/createSharedReadiness";
import { bulkReads } from "@dueday/chain/remit/state/bulkReads";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import { createCoverageReader } from "@dueday/chain/walk/createCoverageReader";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { Database } from "@dueday/db/connectDatabase";
import { readDuePages } from "@dueday/db/duePages/readDuePages";
import type { rpcMetrics } from "@dueday/metrics/rpcMetrics";
import type { Traces } from "@dueday/metrics/traces/traces";
import { createCoveredHeads } from "../history/createCoveredHeads";
import { createIndexReader } from "../history/indexReader";
import { createPageStore } from "../snapshots/createPageStore";
import { createSnapshotCache } from "../snapshots/snapshotCache";
import { verifyDatabase } from "../snapshots/verifyDatabase";
import { createProofRequests } from "./createProofRequests";
import { monitorChain } from "./monitorChain";
import { openHistory } from "./openHistory";
import { readIndexedBlock } from "./readIndexedBlock";
import type { ServedChain } from "./servedChain";

export type ChainParts = {
  config: Config;
  logger: Logger;
  database: Database;
  /** Unix milliseconds. */
  clock: () => number;
  onRpcRequest: ReturnType<typeof rpcMetrics>;
  traces: Traces | null;
  /** Default: those of the chain's settings. /status shows the usage that they count. */
  endpoints?: Endpoints | undefined;
  /** Milliseconds between two checks of the node. */
  monitorIntervalMs?: number | undefined;
};

const RPC_TIMEOUT_MS = 5_000;
const MONITOR_INTERVAL_MS = 1_500;
/** Time between two head reads of a chain that no worker announces. It is long, because live reads request the head that they need. */
const SLOW_INTERVAL_MS = 6_000;

/** Opens one chain. It is checked in the background; `monitor.stop` ends the checks. */
export function openChain(chain: ChainConfig, parts: ChainParts): ServedChain {
  const { config, logger, database, clock, monitorIntervalMs } = parts;
  const intervals = {
    intervalMs: monitorIntervalMs ?? MONITOR_INTERVAL_MS,
    slowIntervalMs: monitorIntervalMs ?? SLOW_INTERVAL_MS,
  };
  const { chainId, contract, rpcUrls, txGasCap } = chain;
  const { staleAfterMs } = config;
  const onRequest = parts.onRpcRequest(chainId);
  const onCall = parts.traces?.onCall(chainId);
  const endpoints =
    parts.endpoints ??
    createEndpoints({ chainId, rpcUrls, clockBound: clockBound(chain, clock), usage: createRpcUsage() });
  const client = createChainClient({ endpoints, txGasCap, requestTimeoutMs: RPC_TIMEOUT_MS, onRequest, onCall });
  const pages = createPageStore((hashes) => readDuePages(database, chain, hashes));
  const snapshots = createSnapshotCache({ chainId, staleAfterMs, clock, pages });
  const verify = () => verifyDatabase({ chain, client, snapshots, database, logger });
  const monitor = monitorChain({ chain, client, logger, clock, verify, ...intervals });
  const covered = createCoveredHeads(clock);
  const scope = { chainId, contract, covered: covered.latest };
  const readIndexed = createIndexReader({
    database,
    scope,
    staleAfterMs,
    clock,
    refusal: snapshots.refusal,
    readBlock: (number) => readIndexedBlock(client, number),
  });
  const headTimestamp = () => monitor.head()?.timestamp ?? null;
  const remitState = createRemitStateCache(contract, bulkReads);
  return {
    config: chain,
    client,
    monitor,
    covered,
    snapshots,
    requestProof: createProofRequests({ database, scope, logger }),
    readIndexed,
    history: openHistory({ chain, client, config, readIndexed, clock, headTimestamp }),
    lastHistory: null,
    remitState,
    sharedReadiness: createSharedReadiness(),
    coverage: createCoverageReader(remitState),
    inFlight: new Map(),
  };
}
