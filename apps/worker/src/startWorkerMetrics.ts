import type { Config } from "@dueday/config/parseConfig";
import type { Registry } from "@dueday/metrics/createRegistry";
import { type MetricsServer, startMetricsServer } from "@dueday/metrics/startMetricsServer";

/**
 * Serves the metrics of a worker on METRICS_PORT, and on the same port the page of its queues where ADMIN_SECRET and REDIS_URL are set.
 *
 * @throws Error when the port is in use.
 */
export async function startWorkerMetrics(config: Config, registry: Registry): Promise<MetricsServer> {
  const { metricsPort: port, host, redisUrl, adminSecret, chains } = config;
  if (port === null || redisUrl === null || adminSecret === null) return startMetricsServer({ registry, port, host });
  // Imported on demand: it takes as much memory as the rest of a worker.
  const { createQueueBoard } = await import("./scheduler/queueBoard");
  const board = createQueueBoard({ redisUrl, chains, adminSecret });
  const server = startMetricsServer({ registry, port, host, pages: [board.page] });
  return {
    url: server.url,
    async stop() {
      board.close();
      await server.stop();
    },
  };
}
