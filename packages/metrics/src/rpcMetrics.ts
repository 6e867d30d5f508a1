import { Counter, Histogram, type Registry } from "prom-client";

/** One JSON-RPC request, as the chain client reports it. */
export type RpcReport = { method: string; urlIndex: number; milliseconds: number; outcome: string };

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Requests, errors and latency of the nodes by chain, for one part of a process. A node is named by its place in the list of
 * URLs, never by its URL.
 */
export function rpcMetrics(
  registry: Registry,
  part: "api" | "worker",
): (chainId: number) => (report: RpcReport) => void {
  const requests = new Counter({
    name: `dueday_${part}_rpc_requests_total`,
    help: "JSON-RPC requests; outcome ok or refused is an answer, anything else a failure of the node",
    labelNames: ["chain", "node", "method", "outcome"] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: `dueday_${part}_rpc_request_seconds`,
    help: "Time of a JSON-RPC request; those of one batch have the same",
    labelNames: ["chain", "node"] as const,
    buckets: SECONDS,
    registers: [registry],
  });
  return (chainId) => {
    const chain = String(chainId);
    return ({ method, urlIndex, milliseconds, outcome }) => {
      const node = String(urlIndex);
      requests.inc({ chain, node, method, outcome });
      seconds.observe({ chain, node }, milliseconds / 1000);
    };
  };
}
