import { Count, described, Instant, Nullable, oneOf } from "@dueday/core/schema";
import type { WorkerMessage } from "@dueday/db/workerMessage";
import { type Static, Type } from "@sinclair/typebox";
import { Check } from "./check";

/** State of the job queues, as the workers report it. */
export const QueueCheck = Type.Composite([
  Check,
  Type.Object({
    kind: Type.Optional(
      Type.Union([Type.Literal("bullmq"), Type.Literal("in_process")], {
        description: "bullmq: jobs are in Redis, for all workers; in_process: in the memory of one worker",
      }),
    ),
    workers: described(Count, "Worker processes that reported in the last 30 s"),
    depth: described(Count, "Jobs that are due and wait, of all chains"),
    active: described(Count, "Jobs that run"),
    oldestSeconds: Nullable(described(Count, "Age of the oldest job that waits")),
    redis: Type.Optional(Check),
  }),
]);
export type QueueCheck = Static<typeof QueueCheck>;

/** A scan that has run for a second, for /status. */
export const RunningScan = Type.Object(
  {
    job: oneOf(["scan_remit", "scan_due", "scan_forecast"], "The plan, the due lists or the payments that will fail"),
    startedAt: described(Instant, "When it began"),
    deadline: described(Instant, "By when it has to end: then it fails, and is repeated"),
    subscriptions: Nullable(
      described(
        Count,
        "Subscriptions that it reads because they are new or have changed; null until it has the due lists",
      ),
    ),
    subscriptionsRead: described(Count, "How many of them it has read; balances, the plan and the lists follow"),
  },
  { description: "The scan that runs; absent where none has run for a second" },
);
export type RunningScan = Static<typeof RunningScan>;

export type QueueReports = {
  hear(message: WorkerMessage): void;
  check(): QueueCheck;
  /** The running scan of a chain, as a worker reports it; null where no scan has run for a second. */
  scanOf(chainId: number): RunningScan | null;
};

/** A missing report is a fault only when this process has run for this time. A worker reports itself every 10 s. */
const PATIENCE_MS = 30_000;
/** Seconds after which a job that waits is a fault, unless a scan runs. */
const LONGEST_WAIT_SECONDS = 60;

/**
 * Keeps the latest report of each worker.
 *
 * @param clock milliseconds that never go back, such as `performance.now`
 */
export function createQueueReports(clock: () => number): QueueReports {
  const reports = new Map<string, WorkerMessage & { until: number }>();
  const startedAt = clock();

  function current(): WorkerMessage[] {
    const now = clock();
    for (const [worker, { until }] of reports) if (until < now) reports.delete(worker);
    return [...reports.values()];
  }

  return {
    hear(message) {
      reports.set(message.worker, { ...message, until: clock() + message.validForMs });
    },
    check() {
      const workers = current();
      const queues = workers.flatMap((worker) => worker.queues);
      const [one] = queues;
      const fault = queues.find((queue) => queue.fault !== null)?.fault ?? null;
      const ages = queues.flatMap(({ oldestSeconds }) => oldestSeconds ?? []);
      const oldestSeconds = ages.length === 0 ? null : Math.max(...ages);
      const facts = {
        ...(one === undefined ? {} : { kind: one.kind }),
        workers: workers.length,
        depth: sum(queues.map(({ waiting }) => waiting)),
        active: sum(queues.map(({ active }) => active)),
        oldestSeconds,
        ...(one?.kind === "bullmq" ? { redis: redisCheck(fault) } : {}),
      };
      if (workers.length === 0) {
        const isNew = clock() - startedAt < PATIENCE_MS;
        return isNew
          ? { status: "off", reason: "no worker has reported to this process yet", ...facts }
          : {
              status: "degraded",
              reason: `no worker has reported for ${PATIENCE_MS / 1000} s: is one running?`,
              ...facts,
            };
      }
      if (fault !== null) return { status: "degraded", reason: fault, ...facts };
      // A scan of many subscriptions delays the other jobs, until its deadline at most.
      const isScanning = queues.some(({ scan }) => scan);
      if (oldestSeconds !== null && oldestSeconds > LONGEST_WAIT_SECONDS && !isScanning) {
        const reason = `a job has waited for ${oldestSeconds} s: is the queue paused, or does no worker take jobs?`;
        return { status: "degraded", reason, ...facts };
      }
      return { status: "ok", ...facts };
    },
    scanOf(chainId) {
      const queues = current().flatMap((worker) => worker.queues);
      const scan = queues.find((queue) => queue.chainId === chainId && queue.scan)?.scan;
      if (!scan) return null;
      return { ...scan, startedAt: iso(scan.startedAt), deadline: iso(scan.deadline) };
    },
  };
}

function redisCheck(fault: string | null): Check {
  return fault === null ? { status: "ok" } : { status: "down", reason: fault };
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
