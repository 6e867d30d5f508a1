import { clockBound } from "@dueday/chain/block/createBlockJudge";
import { createChainClient } from "@dueday/chain/client/createChainClient";
import { createRemitStateCache } from "@dueday/chain/remit/state/createRemitStateCache";
import type { ChainConfig } from "@dueday/config/chains";
import type { Logger } from "@dueday/config/createLogger";
import type { Config } from "@dueday/config/parseConfig";
import type { Database } from "@dueday/db/connectDatabase";
import type { rpcMetrics } from "@dueday/metrics/rpcMetrics";
import { openHistory } from "../history/openHistory";
import { createSnapshotCache } from "../snapshots/snapshotCache";
import { monitorChain } from "./monitorChain";
import type { ServedChain } from "./servedChain";
import { verifyDatabase } from "./verifyDatabase";

export type ChainParts = {
  config: Config;
  logger: Logger;
  database: Database;
  /** Unix milliseconds. */
  clock: () => number;
  onRpcRequest: ReturnType<typeof rpcMetrics>;
  /** Between two checks of the node. */
  monitorIntervalMs?: number | undefined;
};

const RPC_TIMEOUT_MS = 5_000;
/** Below the age at which reads may still be pinned to the monitor's head, so that they need no request for a newer one. */
const MONITOR_INTERVAL_MS = 1_500;

/** Opens one chain. It is checked in the background; `monitor.stop` ends that. */
export function openChain(chain: ChainConfig, parts: ChainParts): ServedChain {
  const { config, logger, database, clock, monitorIntervalMs: intervalMs = MONITOR_INTERVAL_MS } = parts;
  const { chainId, rpcUrls } = chain;
  const onRequest = parts.onRpcRequest(chainId);
  const client = createChainClient({
    ...{ chainId, rpcUrls, requestTimeoutMs: RPC_TIMEOUT_MS, onRequest },
    clockBound: clockBound(chain, clock),
  });
  const snapshots = createSnapshotCache({ chainId, staleAfterMs: config.staleAfterMs, clock });
  const refusal = snapshots.refusal;
  const verify = () => verifyDatabase({ chain, client, snapshots, database, logger });
  const monitor = monitorChain({ chain, client, logger, intervalMs, clock, verify });
  const headNumber = () => monitor.head()?.number ?? null;
  return {
    config: chain,
    client,
    monitor,
    snapshots,
    history: openHistory({ chain, client, config, database, clock, refusal, headNumber }),
    remitState: createRemitStateCache(chain.contract),
    inFlight: new Map(),
  };
}
