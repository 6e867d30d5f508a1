import { TallyHistogram } from "@dueday/metrics/tallyHistogram";
import { Counter, type Registry } from "prom-client";
import type { Exchange } from "../http/exchange";

/** Notes an answered request: which operation, by which lane, how it ended, how long it took, and what its limits said. */
export type NoteRequest = (exchange: Exchange, status: number, seconds: number) => void;

/** Most answers come from memory within a millisecond; a simulation of a long backlog takes seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function requestMetrics(registry: Registry): NoteRequest {
  const registers = [registry];
  const seconds = new TallyHistogram({
    name: "dueday_request_seconds",
    help: "Requests by operation (none: no such path, or a page), lane and HTTP status, with their time",
    labelNames: ["operation", "lane", "status"] as const,
    buckets: SECONDS,
    registers,
  });
  const admitted = { free: 0, developer: 0, none: 0 };
  new Counter({
    name: "dueday_limit_admissions_total",
    help: "Requests that the limiter let pass",
    labelNames: ["lane"] as const,
    registers,
    collect() {
      this.reset();
      for (const [lane, count] of Object.entries(admitted)) this.inc({ lane }, count);
    },
  });
  const refusals = new Counter({
    name: "dueday_limit_refusals_total",
    help: "Requests that the limiter refused, by the bucket that was empty",
    labelNames: ["lane", "bucket"] as const,
    registers,
  });
  // Requests of one kind come in a row: their key is put together once.
  let last = { operation: "", lane: "", status: 0, key: "" };
  return (exchange, status, elapsed) => {
    const { lane, decision } = exchange;
    const operation = exchange.operation ?? "none";
    if (operation !== last.operation || lane !== last.lane || status !== last.status) {
      last = { operation, lane, status, key: `${operation} ${lane} ${status}` };
    }
    seconds.note(last.key, elapsed);
    const { error } = exchange;
    if (error?.code === "RATE_LIMITED") refusals.inc({ lane, bucket: String(error.body.bucket) });
    else if (decision !== null) admitted[lane]++;
  };
}
