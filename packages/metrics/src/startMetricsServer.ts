import type { Registry } from "prom-client";

/** A further page on the port of the metrics, with everything under its path. */
export type MetricsPage = { path: string; answer(request: Request): Response | Promise<Response> };

export type MetricsServerOptions = {
  registry: Registry;
  /** Null: no metrics are served. */
  port: number | null;
  host: string;
  pages?: readonly MetricsPage[];
};

export type MetricsServer = { url: string | null; stop(): Promise<void> };

/**
 * Serves `/metrics` in the text format of Prometheus, on a separate port: it is for the operator and has no limits.
 *
 * @throws Error when the port is in use.
 */
export function startMetricsServer({ registry, port, host, pages = [] }: MetricsServerOptions): MetricsServer {
  if (port === null) return { url: null, stop: async () => {} };

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === "/metrics") {
      return new Response(await registry.metrics(), { headers: { "Content-Type": registry.contentType } });
    }
    const page = pages.find(({ path }) => pathname === path || pathname.startsWith(`${path}/`));
    return page === undefined
      ? new Response("Not found: this port serves /metrics\n", { status: 404 })
      : page.answer(request);
  }

  try {
    const server = Bun.serve({
      port,
      hostname: host,
      // With reusePort, a second process would start without an error and receive half of the requests.
      reusePort: false,
      fetch: answer,
      error: () => new Response("The metrics could not be read\n", { status: 500 }),
    });
    return { url: server.url.origin, stop: () => server.stop(true) };
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EADDRINUSE")) throw error;
    throw new Error(`port ${port} of ${host} is in use: give each process a different port for its metrics`);
  }
}
