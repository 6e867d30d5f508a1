import type { Chain, PublicClient, Transport } from "viem";

/** One JSON-RPC request as metrics see it. The URL is named by its place in the list, never by its text. */
export type RequestReport = {
  method: string;
  urlIndex: number;
  milliseconds: number;
  /** "ok", "refused" (the node answered with an error that is about the call itself), or how the exchange failed. */
  outcome: string;
};

export type ChainClientOptions = {
  chainId: number;
  /** In fail-over order. */
  rpcUrls: readonly string[];
  /** Deadline of one HTTP exchange. */
  requestTimeoutMs: number;
  /** Deadline of one call over all its retries and URLs. Default: three times `requestTimeoutMs`. */
  callTimeoutMs?: number;
  onRequest?: (report: RequestReport) => void;
};

export type ChainClient = PublicClient<Transport, Chain>;

/** A viem client over a transport with deadlines, bounded retries and fail-over. */
export function createChainClient(_options: ChainClientOptions): ChainClient {
  throw new Error("not built yet");
}
