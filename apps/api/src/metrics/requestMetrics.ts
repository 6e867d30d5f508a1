import { Counter, Histogram, type Registry } from "prom-client";
import type { Exchange } from "../access/exchange";

/** Notes an answered request: which operation, by which lane, how it ended, how long it took, and what its limits said. */
export type NoteRequest = (exchange: Exchange, status: number) => void;

/** Most answers come from memory within a millisecond; a simulation of a long backlog takes seconds. */
const SECONDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

export function requestMetrics(registry: Registry): NoteRequest {
  const registers = [registry];
  const seconds = new Histogram({
    name: "dueday_request_seconds",
    help: "Requests by operation (none: no such path, or a page), lane and HTTP status, with their time",
    labelNames: ["operation", "lane", "status"] as const,
    buckets: SECONDS,
    registers,
  });
  const decisions = new Counter({
    name: "dueday_limit_decisions_total",
    help: "What the limiter decided; a refusal names the bucket that was empty",
    labelNames: ["lane", "decision", "bucket"] as const,
    registers,
  });
  return (exchange, status) => {
    const { lane, taking } = exchange;
    seconds.observe(
      { operation: exchange.operation ?? "none", lane, status },
      (performance.now() - exchange.startedAt) / 1000,
    );
    if (taking === null) return;
    if (taking.admitted) decisions.inc({ lane, decision: "admitted", bucket: "" });
    else for (const bucket of emptyBuckets(taking)) decisions.inc({ lane, decision: "refused", bucket });
  };
}

function emptyBuckets({ states }: NonNullable<Exchange["taking"]>): string[] {
  return states.filter(({ waitMs }) => waitMs > 0).map(({ demand }) => demand.name);
}
