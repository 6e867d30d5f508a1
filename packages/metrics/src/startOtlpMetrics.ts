import type { Registry } from "prom-client";
import { otlpMetrics } from "./otlpMetrics";

export type OtlpMetricsOptions = {
  registry: Registry;
  /** Base URL of a collector; null: nothing is sent, and nothing runs. */
  endpoint: string | null;
  /** `service.name` of the process. */
  service: string;
  /** Default: a minute. */
  intervalMs?: number;
  /** Called when the collector has refused or not answered; the next values are sent all the same. */
  onFault(error: unknown): void;
};

export type OtlpMetrics = { /** Sends the last values. */ stop(): Promise<void> };

const INTERVAL_MS = 60_000;
/** How long a collector that hangs can delay the end of a process; twice as long where a request is under way. */
const ANSWER_WITHIN_MS = 2_000;

/**
 * Sends the metrics of a process to an OpenTelemetry collector, by OTLP over HTTP with JSON: the same values that
 * `/metrics` has. Counts are totals since the start, so the next request makes up for a lost one; a gauge is its value at that time.
 */
export function startOtlpMetrics(options: OtlpMetricsOptions): OtlpMetrics {
  const { registry, endpoint, service, intervalMs = INTERVAL_MS, onFault } = options;
  if (endpoint === null) return { stop: async () => {} };
  const url = new URL("v1/metrics", endpoint.endsWith("/") ? endpoint : `${endpoint}/`);
  const startedAt = Date.now() - performance.now();

  async function send(): Promise<void> {
    try {
      const answer = await fetch(url, {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(await otlpMetrics(registry, { service, startedAt, now: Date.now() })),
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      });
      await answer.body?.cancel();
      if (!answer.ok) throw new Error(`the collector answered ${answer.status}`);
    } catch (error) {
      onFault(error);
    }
  }

  let sending: Promise<void> | null = null;
  const timer = setInterval(() => {
    // A slow collector gets no second request beside the first.
    sending ??= send().finally(() => {
      sending = null;
    });
  }, intervalMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await sending;
      await send();
    },
  };
}
