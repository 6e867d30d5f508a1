import type { Logger } from "@dueday/config/createLogger";
import type { Job, JobName, JobRequest } from "../jobs/job";

/** Runs the jobs of one chain: each on its cadence, and at once when asked; never two at a time. */
export type Scheduler = {
  /**
   * Asks for a run as soon as nothing else runs on the chain. Asked twice with the same key, it may run once.
   *
   * @throws Error when the request can't be placed (the queue's store is away).
   */
  request(name: JobName, request: JobRequest, key: string): Promise<void>;
  /** Jobs by state, e.g. `{ waiting: 2, active: 1 }`. Throws where the queue's store is away. */
  count(): Promise<JobCounts>;
  /** Takes no more work, and waits for the running job, but not for ever. */
  close(): Promise<void>;
};

/** Numbers of jobs by state. */
export type JobCounts = Record<string, number>;

export type SchedulerOptions = { jobs: readonly Job[]; logger: Logger };
