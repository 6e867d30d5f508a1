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
import { createEndpoint } from "./createEndpoint";
import { createFailOver } from "./createFailOver";
import { createRpc, type Rpc } from "./createRpc";
import { type FailureKind, RpcRefusal } from "./rpcOutcome";

/** Longest answer of a node that is read. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** One JSON-RPC request as metrics see it. The URL is named by its place in the list, never by its text. */
export type RequestReport = {
  method: string;
  urlIndex: number;
  milliseconds: number;
  /** `refused`: the node answered with an error about the call itself, a revert for example. */
  outcome: "ok" | "refused" | FailureKind;
};

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
};

/** What a client has learned of its chain and need not ask again. */
export type ChainFacts = {
  /** Yes-or-no questions by name; see `askOnce`. */
  answers: Map<string, Promise<boolean>>;
  /** Immutable metadata by `contract:token`; see `readTokenInfos`. */
  tokens: Map<string, TokenInfo>;
};

/** viem's public client with the raw request function beside it, which throws RpcRefusal or ServiceError and nothing else. */
export type ChainClient = PublicClient<Transport, Chain> & { rpc: Rpc; facts: ChainFacts };

/**
 * A viem client over a transport with a deadline for each exchange and each call, bounded retries, fail-over in the order of
 * the URLs, and JSON-RPC batches of what is asked in one tick. What viem's own actions throw goes through `asServiceError`.
 */
export function createChainClient(options: ChainClientOptions): ChainClient {
  const { chainId, rpcUrls, requestTimeoutMs, onRequest } = options;
  const maxBytes = options.maxResponseBytes ?? MAX_RESPONSE_BYTES;
  const endpoints = rpcUrls.map((url, index) => createEndpoint(url, index, chainId, maxBytes));
  const callTimeoutMs = options.callTimeoutMs ?? 3 * requestTimeoutMs;
  const rpc = createRpc(createFailOver(endpoints, { requestTimeoutMs, callTimeoutMs, onRequest }));
  const facts: ChainFacts = { answers: new Map(), tokens: new Map() };
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

/** viem finds revert data only in its own error; its `url` is printed, so it gets none. */
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
