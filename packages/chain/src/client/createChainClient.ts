import { defaultTxGasCap } from "@dueday/core/chains";
import {
  type Chain,
  createPublicClient,
  custom,
  defineChain,
  type PublicClient,
  RpcRequestError,
  type Transport,
} from "viem";
import { type ChainFacts, createEndpoints, type Endpoints, type EndpointsOptions } from "./createEndpoints";
import type { RequestReport } from "./createFailOver";
import { RpcRefusal } from "./rpcOutcome";
import type { RpcPurpose } from "./rpcPurpose";
import { upstreamError } from "./upstreamError";

type CallDefaults = {
  /** Deadline of one HTTP exchange. */
  requestTimeoutMs: number;
  /** Deadline of one call, including its time in the queue, all retries and all URLs. Default: three times `requestTimeoutMs`. */
  callTimeoutMs?: number;
  /** What the calls of this client are made for, where a call does not name its purpose. Default: `live`. */
  purpose?: RpcPurpose;
  onRequest?: OnRequest;
  /** Called as each call begins, in the context of the call's caller; the function that it returns is called for each request of the call. */
  onCall?: (() => OnRequest | null) | undefined;
  /** Gas that one transaction may have; null: as much as a block. Default: that of the chain (`defaultTxGasCap`). */
  txGasCap?: bigint | null;
};

/** With `endpoints`, the client shares what is known about the nodes with other clients; otherwise it creates endpoints for itself alone. */
export type ChainClientOptions = CallDefaults & (EndpointsOptions | { endpoints: Endpoints });

/** One JSON-RPC request. Rejects with RpcRefusal (the node's answer to this call) or with a ServiceError (no answer). */
export type Rpc = (method: string, params: unknown, options?: { purpose?: RpcPurpose }) => Promise<unknown>;

/**
 * viem's public client with the raw request function beside it, which throws RpcRefusal or ServiceError and nothing else.
 * `txGasCap` is what one transaction may have at most, null where only the block limits it (see `transactionGasLimit`).
 */
export type ChainClient = PublicClient<Transport, Chain> & {
  rpc: Rpc;
  facts: ChainFacts;
  endpoints: Endpoints;
  txGasCap: bigint | null;
};

/**
 * A viem client over a transport with a deadline for each exchange and each call, bounded retries, fail-over in the order of
 * the URLs, and JSON-RPC batches of the calls made in one turn of the event loop. Convert errors of viem's own actions by
 * `asServiceError`.
 */
export function createChainClient(options: ChainClientOptions): ChainClient {
  const { requestTimeoutMs, onRequest, onCall, callTimeoutMs = 3 * requestTimeoutMs } = options;
  const endpoints = "endpoints" in options ? options.endpoints : createEndpoints(options);
  const txGasCap = options.txGasCap === undefined ? defaultTxGasCap(endpoints.chainId) : options.txGasCap;
  const usual: RpcPurpose = options.purpose ?? "live";

  const rpc: Rpc = async (method, params, { purpose = usual } = {}) => {
    const ofCall = onCall?.();
    const limits = { requestTimeoutMs, callTimeoutMs, onRequest: ofCall ? both(onRequest, ofCall) : onRequest };
    const outcome = await endpoints.send({ method, params }, { purpose, ...limits });
    if ("result" in outcome) return outcome.result;
    if ("failure" in outcome) throw upstreamError(outcome.failure, method);
    // A new error here has the caller's stack, not that of the batch.
    const { code, message, data, source } = outcome.refusal;
    throw new RpcRefusal(code, message, data, source);
  };

  return createPublicClient({
    cacheTime: 0,
    chain: namelessChain(endpoints.chainId),
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
  }).extend(() => ({ rpc, facts: endpoints.facts, endpoints, txGasCap }));
}

type OnRequest = (report: RequestReport) => void;

function both(first: OnRequest | undefined, second: OnRequest): OnRequest {
  return (report) => {
    first?.(report);
    second(report);
  };
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
