import { Counter, Histogram, type Registry } from "prom-client";
import type { Exchange } from "../http/exchange";

/** Counts an answered request by operation, lane and status, with its duration and the limiter's decision. */
export type NoteRequest = (exchange: Exchange, status: number, seconds: number) => void;

/** Upper bounds. Most answers come from memory within a millisecond; simulating a long backlog takes seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function requestMetrics(registry: Registry): NoteRequest {
  const registers = [registry];
  const durations = new Histogram({
    name: "dueday_request_seconds",
    help: "Requests by operation (none: a page, an MCP list, an unknown path and the like), lane and HTTP status, with their duration",
    labelNames: ["operation", "lane", "status"] as const,
    buckets: SECONDS,
    registers,
  });
  const admitted = { free: 0, developer: 0, none: 0 };
  new Counter({
    name: "dueday_limit_admissions_total",
    help: "Requests that the limiter admitted",
    labelNames: ["lane"] as const,
    registers,
    collect() {
      this.reset();
      for (const [lane, count] of Object.entries(admitted)) this.inc({ lane }, count);
    },
  });
  const refusals = new Counter({
    name: "dueday_limit_refusals_total",
    help: "Requests that a limit refused, by its bucket",
    labelNames: ["lane", "bucket"] as const,
    registers,
  });
  return ({ operation, lane, decision, error }, status, seconds) => {
    durations.observe({ operation: operation ?? "none", lane, status }, seconds);
    if (error?.code === "RATE_LIMITED") refusals.inc({ lane, bucket: String(error.body.bucket) });
    else if (decision !== null) admitted[lane] += 1;
  };
}
