import type { Registry } from "./createRegistry";
import { startOtlpMetrics } from "./startOtlpMetrics";
import type { Traces } from "./traces/traces";

export type Telemetry = {
  /** Null where traces are off: no collector, or 0 percent. */
  traces: Traces | null;
  /** Sends what is left. */
  stop(): Promise<void>;
};

/** Starts to send the metrics and traces of a process to the OpenTelemetry collector of its settings, if they have one. */
export async function startTelemetry(
  { otlpEndpoint: endpoint, tracesPercent: percent }: { otlpEndpoint: string | null; tracesPercent: number },
  options: { registry: Registry; service: string; logger: { warn(fields: { err: unknown }, text: string): void } },
): Promise<Telemetry> {
  const { registry, service, logger } = options;
  const notTaken = (kind: string) => (err: unknown) =>
    logger.warn({ err }, `the OpenTelemetry collector took no ${kind}`);
  const metrics = startOtlpMetrics({ registry, endpoint, service, onFault: notTaken("metrics") });
  let traces: Traces | null = null;
  if (endpoint !== null && percent > 0) {
    // The libraries are loaded only where traces are on.
    const { createTraces } = await import("./traces/createTraces");
    traces = createTraces({ endpoint, percent, service, onFault: notTaken("traces") });
  }
  return {
    traces,
    async stop() {
      await Promise.all([traces?.stop(), metrics.stop()]);
    },
  };
}
