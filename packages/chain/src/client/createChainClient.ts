import type { TokenInfo } from "@dueday/core/amounts/tokenAmount";
import {
  type Chain,
  createPublicClient,
  custom,
  defineChain,
  type PublicClient,
  RpcRequestError,
  type Transport,
} from "viem";
import type { ClockBound } from "../block/createBlockJudge";
import { createEndpoint } from "./createEndpoint";
import { createFailOver, type RequestReport } from "./createFailOver";
import { createRpc, type Rpc } from "./createRpc";
import { RpcRefusal } from "./rpcOutcome";

/** Longest answer of a node that is read. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

export type ChainClientOptions = {
  chainId: number;
  /** In fail-over order. */
  rpcUrls: readonly string[];
  /** Deadline of one HTTP exchange. */
  requestTimeoutMs: number;
  /** Deadline of one call over all its retries and URLs. Default: three times `requestTimeoutMs`. */
  callTimeoutMs?: number;
  /** Longest answer that is read; default 32 MiB. */
  maxResponseBytes?: number;
  onRequest?: (report: RequestReport) => void;
  /** How far a block's time may lie ahead of our clock; no bound by default. */
  clockBound?: ClockBound | undefined;
};

/** Facts about the chain that a client reads once. */
export type ChainFacts = {
  /** Whether the node or chain has something, by its name; see `readOnce`. */
  capabilities: Map<string, Promise<boolean>>;
  /** Immutable metadata by `contract:token`; see `readTokenInfos`. */
  tokens: Map<string, TokenInfo>;
};

/** viem's public client with the raw request function beside it, which throws RpcRefusal or ServiceError and nothing else. */
export type ChainClient = PublicClient<Transport, Chain> & { rpc: Rpc; facts: ChainFacts };

/**
 * A viem client over a transport with a deadline for each exchange and each call, bounded retries, fail-over in the order of
 * the URLs, and JSON-RPC batches of the calls made in one tick. Convert errors of viem's own actions by `asServiceError`.
 */
export function createChainClient(options: ChainClientOptions): ChainClient {
  const { chainId, rpcUrls, requestTimeoutMs, onRequest, clockBound } = options;
  const maxBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES;
  const endpoints = rpcUrls.map((url, index) => createEndpoint(url, index, { chainId, maxBytes, clockBound }));
  const callTimeoutMs = options.callTimeoutMs ?? 3 * requestTimeoutMs;
  const rpc = createRpc(createFailOver(endpoints, { requestTimeoutMs, callTimeoutMs, onRequest }));
  const facts: ChainFacts = { capabilities: new Map(), tokens: new Map() };
  return createPublicClient({
    cacheTime: 0,
    chain: namelessChain(chainId),
    transport: custom(
      {
        async request(request: { method: string; params?: unknown }) {
          try {
            return await rpc(request.method, request.params ?? []);
          } catch (error) {
            throw error instanceof RpcRefusal ? viemRefusal(request.method, error) : error;
          }
        },
      },
      { retryCount: 0 },
    ),
  }).extend(() => ({ rpc, facts }));
}

/** viem finds revert data only in its own error. That error prints its `url`, so it gets none. */
function viemRefusal(method: string, refusal: RpcRefusal): RpcRequestError {
  return new RpcRequestError({
    body: { method },
    url: "rpc",
    error: { code: refusal.code, message: refusal.message, data: refusal.data },
  });
}

function namelessChain(chainId: number): Chain {
  return defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    rpcUrls: { default: { http: [] } },
  });
}
