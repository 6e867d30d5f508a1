import { Counter, Histogram, type Registry } from "prom-client";

/** One JSON-RPC request, as the chain client reports it. */
export type RpcReport = { method: string; urlIndex: number; milliseconds: number; outcome: string };

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Registers requests and latency of the nodes, by chain. A node is named by its index in the list of URLs, never by its URL.
 *
 * @returns a function from a chain id to what counts each request on that chain
 */
export function rpcMetrics(
  registry: Registry,
  part: "api" | "worker",
): (chainId: number) => (report: RpcReport) => void {
  const requests = new Counter({
    name: `dueday_${part}_rpc_requests_total`,
    help: "JSON-RPC requests; with outcome ok or refused the node answered, with any other it failed",
    labelNames: ["chain", "node", "method", "outcome"] as const,
    registers: [registry],
  });
  const seconds = new Histogram({
    name: `dueday_${part}_rpc_request_seconds`,
    help: "Duration of a JSON-RPC request; the requests of a batch share one",
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
