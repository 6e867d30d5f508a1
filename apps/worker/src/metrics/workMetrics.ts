import type { PlanAlarm } from "@dueday/chain/remit/planBacklog";
import { gauge, type Sample } from "@dueday/metrics/gauge";
import { type RpcReport, rpcMetrics } from "@dueday/metrics/rpcMetrics";
import { Counter, Histogram, type Registry } from "prom-client";
import type { JobName } from "../jobs/job";
import type { JobCounts } from "../scheduler/scheduler";

/** Counts the work on one chain. */
export type WorkMetrics = {
  noteRpcRequest(report: RpcReport): void;
  noteJob(job: JobName, outcome: "done" | "failed", milliseconds: number): void;
  noteReorganisation(): void;
  /** Counts stored logs that differed from those of the chain and were repaired. */
  noteRepair(repaired: { added: readonly unknown[]; removed: readonly unknown[] }): void;
  notePlanAlarm(kind: PlanAlarm["kind"]): void;
  /** Counts the jobs of this chain at each scrape from now on. */
  watchQueue(count: () => Promise<JobCounts>): void;
};

const PLAN_ALARMS: readonly PlanAlarm["kind"][] = ["model_differs", "state_unreadable", "simulation_too_slow"];
const JOB_SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** The metrics of a worker process, by chain id. */
export function workMetrics(registry: Registry): (chainId: number) => WorkMetrics {
  const registers = [registry];
  const noteRpcRequest = rpcMetrics(registry, "worker");
  const jobs = new Histogram({
    name: "dueday_job_seconds",
    help: "Runs of jobs in this process, by job and outcome, with their time",
    labelNames: ["chain", "job", "outcome"] as const,
    buckets: JOB_SECONDS,
    registers,
  });
  const reorganisations = new Counter({
    name: "dueday_reorganisations_total",
    help: "Times that this process saw the chain replace blocks it knew",
    labelNames: ["chain"] as const,
    registers,
  });
  const repairs = new Counter({
    name: "dueday_index_repaired_logs_total",
    help: "Logs of the event index that were added or removed because the node had returned incomplete ones before",
    labelNames: ["chain", "change"] as const,
    registers,
  });
  const planAlarms = new Counter({
    name: "dueday_plan_alarms_total",
    help: "Plans on which model and simulation differ, or that went unchecked because the state can't be read or the simulation took too long",
    labelNames: ["chain", "kind"] as const,
    registers,
  });
  const queues = new Map<string, () => Promise<JobCounts>>();
  gauge(registry, {
    name: "dueday_queue_jobs",
    help: "Jobs in the queue of a chain by state",
    labels: ["chain", "state"],
    read: async () => (await Promise.all([...queues].map(([chain, count]) => samplesOf(chain, count)))).flat(),
  });
  return (chainId) => {
    const chain = String(chainId);
    // Exposed as 0 from the start: an alert on an increase needs a value before it.
    reorganisations.inc({ chain }, 0);
    for (const change of ["added", "removed"]) repairs.inc({ chain, change }, 0);
    for (const kind of PLAN_ALARMS) planAlarms.inc({ chain, kind }, 0);
    return {
      noteRpcRequest: noteRpcRequest(chainId),
      noteJob: (job, outcome, milliseconds) => jobs.observe({ chain, job, outcome }, milliseconds / 1000),
      noteReorganisation: () => reorganisations.inc({ chain }),
      noteRepair({ added, removed }) {
        repairs.inc({ chain, change: "added" }, added.length);
        repairs.inc({ chain, change: "removed" }, removed.length);
      },
      notePlanAlarm: (kind) => planAlarms.inc({ chain, kind }),
      watchQueue: (count) => void queues.set(chain, count),
    };
  };
}

/** Empty where the queue can't be reached: the scheduler logs that. */
async function samplesOf(chain: string, count: () => Promise<JobCounts>): Promise<Sample[]> {
  const counts = await count().catch((): JobCounts => ({}));
  return Object.entries(counts).map(([state, value]) => ({ labels: { chain, state }, value }));
}
