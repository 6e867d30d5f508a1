import { Counter, Histogram, type Registry } from "prom-client";

/** One JSON-RPC request, as the chain client reports it. */
export type RpcReport = {
  method: string;
  /** What it was made for: `live`, `head`, `logs`, `scan`, `verify` or `backfill`. */
  purpose: string;
  urlIndex: number;
  milliseconds: number;
  outcome: string;
  computeUnits: number;
  /** Sent and received. */
  bytes: number;
};

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Registers requests and latency of the nodes, by chain. A node is named by its index in the list of URLs, never by its URL.
 *
 * @returns a function that takes a chain id and returns the function that counts each request on that chain
 */
export function rpcMetrics(
  registry: Registry,
  part: "api" | "worker",
): (chainId: number) => (report: RpcReport) => void {
  const requests = new Counter({
    name: `dueday_${part}_rpc_requests_total`,
    help: "JSON-RPC requests; with outcome ok or refused the node answered, with any other it failed",
    labelNames: ["chain", "node", "method", "purpose", "outcome"] as const,
    registers: [registry],
  });
  const units = new Counter({
    name: `dueday_${part}_rpc_compute_units_total`,
    help: "Compute units of the JSON-RPC requests, by the public table of a large provider",
    labelNames: ["chain", "node", "method", "purpose"] as const,
    registers: [registry],
  });
  const transferred = new Counter({
    name: `dueday_${part}_rpc_bytes_total`,
    help: "Bytes sent to and received from nodes, without headers; the requests of a batch share them evenly",
    labelNames: ["chain", "node", "method", "purpose"] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: `dueday_${part}_rpc_request_seconds`,
    help: "Duration of a JSON-RPC request; each request of a batch has the duration of the whole batch",
    labelNames: ["chain", "node"] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  return (chainId) => {
    const chain = String(chainId);
    return ({ method, purpose, urlIndex, milliseconds, outcome, computeUnits, bytes }) => {
      const node = String(urlIndex);
      requests.inc({ chain, node, method, purpose, outcome });
      units.inc({ chain, node, method, purpose }, computeUnits);
      transferred.inc({ chain, node, method, purpose }, bytes);
      seconds.observe({ chain, node }, milliseconds / 1000);
    };
  };
}
