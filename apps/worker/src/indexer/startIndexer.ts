import { clockBound } from "@dueday/chain/client/createBlockJudge";
import { type ChainClient, createChainClient, type Rpc } from "@dueday/chain/client/createChainClient";
import { createEndpoints } from "@dueday/chain/client/createEndpoints";
import type { Repaired } from "@dueday/db/indexing/repairLogs";
import type { ChainContext } from "../context";
import type { RangeSize } from "../logs/createRangeSize";
import type { WorkMetrics } from "../metrics/workMetrics";
import { createNewBlocksSize } from "./catchUp";
import { createChainData } from "./createChainData";
import { createFinalityReader } from "./createFinalityReader";
import { createProgress } from "./createProgress";
import { type Indexer, runIndexer } from "./runIndexer";

/** As long as a scan's: a range that takes longer is requested in halves. */
const REQUEST_TIMEOUT_MS = 7_000;
/** No caller waits for old blocks, and wide ranges take long. */
const BACKFILL_TIMEOUT_MS = 20_000;
/** The most bytes for the logs of one kind of event in one block. No block has gas for more. */
const MOST_BYTES_OF_A_BLOCK = 256 * 1024 * 1024;

/** Time without news of the follower after which the indexer asks the node itself, and between two checks of recent logs. */
const TIMES = {
  fresh: { pollMs: 15_000, recheckMs: 60_000 },
  frugal: { pollMs: 60_000, recheckMs: 300_000 },
};

type IndexerParts = {
  /** Nodes for logs; undefined: the chain's. */
  logsClient: ChainClient | undefined;
  /** How many blocks these nodes accept as a range. */
  logsSize: RangeSize;
  onCovered(): void;
  /** The index went back to a block before a reorganisation, and the snapshots of later blocks are orphaned. */
  onRewind(): void;
};

/** Indexes the events of a prepared chain until `stop()`. */
export function startIndexer(
  context: ChainContext,
  metrics: Pick<WorkMetrics, "noteRpcRequest" | "noteRepair">,
  { logsClient, logsSize, onCovered, onRewind }: IndexerParts,
): Indexer {
  const { chain, database, logger, clock, stateCache, eventsRetentionDays } = context;
  const { contract } = chain;
  const client = createChainClient({
    endpoints: context.client.endpoints,
    purpose: "logs",
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    onRequest: metrics.noteRpcRequest,
  });
  const terminal = process.stderr.isTTY ? process.stderr : null;
  const indexContext = {
    chain,
    database,
    logger,
    clock,
    eventsRetentionDays,
    chainData: {
      ...createChainData(client, contract, oldBlocks(context, metrics)),
      rpc: withLogsFrom(client, logsClient),
    },
    progress: createProgress({ logger, clock, terminal }),
    finality: createFinalityReader({ rpc: client.rpc, clock, finalitySeconds: chain.finalitySeconds }),
    logsSize,
    newBlocks: createNewBlocksSize(),
    onRepair(repaired: Repaired) {
      metrics.noteRepair(repaired);
      // The cached state may lack the same logs.
      stateCache.forget();
    },
    onRewind,
  };
  return runIndexer(indexContext, { ...TIMES[chain.rpcProfile], onCovered });
}

/** Reads logs from a node that accepts wide ranges, where there is one, and everything else from the chain's. */
function withLogsFrom(client: ChainClient, logsClient: ChainClient = client): Rpc {
  return (method, params) => (method === "eth_getLogs" ? logsClient : client).rpc(method, params);
}

/** The nodes that old blocks are read from: those that the settings name for a backfill, else the chain's. */
function oldBlocks({ chain, client, clock }: ChainContext, { noteRpcRequest }: Pick<WorkMetrics, "noteRpcRequest">) {
  const { chainId, backfillRpcUrls } = chain;
  const rpcUrls = backfillRpcUrls.length > 0 ? backfillRpcUrls : chain.rpcUrls;
  const options = { chainId, rpcUrls, clockBound: clockBound(chain, clock) };
  const limits = { purpose: "backfill" as const, requestTimeoutMs: BACKFILL_TIMEOUT_MS, onRequest: noteRpcRequest };
  const endpoints = backfillRpcUrls.length > 0 ? createEndpoints(options) : client.endpoints;
  const dense = createEndpoints({ ...options, maxResponseBytes: MOST_BYTES_OF_A_BLOCK });
  return {
    archiveRpc: createChainClient({ ...limits, endpoints }).rpc,
    denseRpc: createChainClient({ ...limits, endpoints: dense }).rpc,
  };
}
