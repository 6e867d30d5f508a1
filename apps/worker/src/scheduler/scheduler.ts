import type { Logger } from "@dueday/config/createLogger";
import type { WorkerMessage } from "@dueday/db/workerMessage";
import type { Job, JobName, JobRequest } from "../jobs/job";

/** Runs the jobs of one chain: each on its cadence, and at once on request; never two at a time. */
export type Scheduler = {
  /**
   * Requests a run as soon as nothing else runs on the chain. Two requests with the same key may be one run.
   *
   * @throws Error when the request can't be placed (the queue's store is unavailable).
   */
  request(name: JobName, request: JobRequest, key: string): Promise<void>;
  kind: WorkerMessage["queues"][number]["kind"];
  /** Jobs by state, e.g. `{ waiting: 2, active: 1 }`. Throws where the queue's store is unavailable. */
  count(): Promise<JobCounts>;
  /** Milliseconds since 1970 at which the oldest job that waits was requested; null where none waits. Throws as `count`. */
  oldestWaitingAt(): Promise<number | null>;
  /** Accepts no more work, and waits some seconds for the running job. */
  close(): Promise<void>;
};

/** Numbers of jobs by state. */
export type JobCounts = Record<string, number>;

export type SchedulerOptions = { jobs: readonly Job[]; logger: Logger };

/** Attempts of one run, the first included. Work that is still undone after them is requested again by the cadence. */
export const RUN_ATTEMPTS = 4;
/** Pause after the first attempt. It doubles with each further one. */
export const FIRST_RETRY_MS = 500;

/** Whether the same work may succeed later without any change; errors state it themselves (ServiceError, DatabaseError). */
export function isRetryable(error: unknown): boolean {
  return error instanceof Error && "retryable" in error && error.retryable === true;
}
