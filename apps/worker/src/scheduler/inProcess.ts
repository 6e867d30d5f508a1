import { within } from "@dueday/config/within";
import type { Job, JobName, JobRequest } from "../jobs/job";
import { FIRST_RETRY_MS, isRetryable, RUN_ATTEMPTS, type Scheduler, type SchedulerOptions } from "./scheduler";

const CLOSE_TIMEOUT_MS = 5_000;

/** A scheduler without a store: requests are lost with the process, and the next start runs every job. */
export function createInProcessScheduler({ jobs, logger }: SchedulerOptions): Scheduler {
  const pending = new Map<JobName, JobRequest>();
  const failures = new Map<JobName, number>();
  const timers = new Set<Timer>();
  let lastRun = Promise.resolve();
  let closed = false;

  function enqueue(name: JobName, request: JobRequest): void {
    if (closed) return;
    const before = pending.get(name);
    pending.set(name, before === undefined ? request : merge(before, request));
    if (before === undefined) lastRun = lastRun.then(runNext);
  }

  async function runNext(): Promise<void> {
    const job = jobs.find(({ name }) => pending.has(name));
    const request = job && pending.get(job.name);
    if (job === undefined || request === undefined || closed) return;
    pending.delete(job.name);
    try {
      await job.run(request);
      failures.delete(job.name);
    } catch (error) {
      onFailure(job, request, error);
    }
  }

  function onFailure({ name }: Job, request: JobRequest, error: unknown): void {
    const attempt = (failures.get(name) ?? 0) + 1;
    logger.warn({ job: name, attempt, err: error }, "job failed");
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
    count: async () => ({ waiting: pending.size }),
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
