import { within } from "@dueday/core/within";
import type { Job, JobName, JobRequest } from "../jobs/job";
import { FIRST_RETRY_MS, isRetryable, RUN_ATTEMPTS, type Scheduler, type SchedulerOptions } from "./scheduler";

const CLOSE_TIMEOUT_MS = 5_000;

/** A scheduler without a store: requests are lost with the process, and the next start runs every job. */
export function createInProcessScheduler({ jobs, logger }: SchedulerOptions): Scheduler {
  const pending = new Map<JobName, JobRequest & { since: number }>();
  const failures = new Map<JobName, number>();
  const timers = new Set<Timer>();
  let lastRun = Promise.resolve();
  let isActive = false;
  let closed = false;

  function enqueue(name: JobName, request: JobRequest): void {
    if (closed) return;
    const before = pending.get(name);
    pending.set(
      name,
      before === undefined ? { ...request, since: Date.now() } : { ...merge(before, request), since: before.since },
    );
    if (before === undefined) lastRun = lastRun.then(runNext);
  }

  async function runNext(): Promise<void> {
    const job = jobs.find(({ name }) => pending.has(name));
    const request = job && pending.get(job.name);
    if (job === undefined || request === undefined || closed) return;
    pending.delete(job.name);
    isActive = true;
    try {
      await job.run({ atLeastBlock: request.atLeastBlock });
      failures.delete(job.name);
    } catch (error) {
      onFailure(job, { atLeastBlock: request.atLeastBlock }, error);
    } finally {
      isActive = false;
    }
  }

  function onFailure({ name }: Job, request: JobRequest, error: unknown): void {
    const attempt = (failures.get(name) ?? 0) + 1;
    if (attempt >= RUN_ATTEMPTS || !isRetryable(error)) {
      failures.delete(name);
      return;
    }
    failures.set(name, attempt);
    const timer = setTimeout(
      () => {
        timers.delete(timer);
        enqueue(name, request);
      },
      FIRST_RETRY_MS * 2 ** (attempt - 1),
    );
    timers.add(timer);
  }

  for (const { name, everyMs } of jobs) {
    timers.add(setInterval(() => enqueue(name, { atLeastBlock: null }), everyMs));
    enqueue(name, { atLeastBlock: null });
  }

  return {
    async request(name, request) {
      enqueue(name, request);
    },
    kind: "in_process",
    count: async () => ({ waiting: pending.size, active: isActive ? 1 : 0 }),
    oldestWaitingAt: async () =>
      pending.size === 0 ? null : Math.min(...Array.from(pending.values(), ({ since }) => since)),
    async close() {
      closed = true;
      for (const timer of timers) clearTimeout(timer);
      await within("ending the running job", CLOSE_TIMEOUT_MS, lastRun).catch((error: unknown) =>
        logger.warn({ err: error }, "a job was abandoned"),
      );
    },
  };
}

/** One run for both requests: to the higher block. */
function merge({ atLeastBlock: a }: JobRequest, { atLeastBlock: b }: JobRequest): JobRequest {
  if (a === null || b === null) return { atLeastBlock: a ?? b };
  return { atLeastBlock: a > b ? a : b };
}
