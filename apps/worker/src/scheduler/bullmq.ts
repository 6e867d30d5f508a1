import type { ChainConfig } from "@dueday/config/chains";
import { within } from "@dueday/core/within";
import { Queue, type Job as QueuedJob, UnrecoverableError, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { Job, JobName, JobRequest } from "../jobs/job";
import { describeRedisFault } from "./describeRedisFault";
import { FIRST_RETRY_MS, isRetryable, RUN_ATTEMPTS, type Scheduler, type SchedulerOptions } from "./scheduler";

export type BullmqOptions = SchedulerOptions & {
  redisUrl: string;
  /** One queue for each chain, because order and limits apply to a queue. */
  queueName: string;
  /** Interval of the checks of Redis' settings, the queue's state and the cadence. Default 10 s. */
  checkMs?: number;
};

/** JSON form of a JobRequest. */
type JobData = { atLeastBlock: string | null };

/** After its worker was killed, another worker takes the job at the first check after the lock has expired. */
const LOCK_MS = 3_000;
const STALLED_CHECK_MS = 1_000;
/** How many kills of its worker a job survives: jobs are idempotent, and with the default of one, two kills fail a job. */
const MAX_STALLED = 10;
const COMMAND_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 3_000;
const CHECK_MS = 10_000;
const CHECK_TIMEOUT_MS = 5_000;
/** The clocks of workers may differ by this time. */
const CLOCK_SLACK_MS = 30_000;

/** Of completed jobs the latest are kept, and of failed ones none, so their numbers mean nothing. */
const COUNTED_STATES = ["waiting", "prioritized", "active", "delayed"] as const;

const jobOptions = {
  attempts: RUN_ATTEMPTS,
  backoff: { type: "exponential", delay: FIRST_RETRY_MS },
  // Kept for a while, so that another worker's request for the same block is known as done.
  removeOnComplete: { count: 200 },
  removeOnFail: true,
};

/** The queue of a chain. */
export function queueNameOf({ chainId, contract }: Pick<ChainConfig, "chainId" | "contract">): string {
  return `dueday-${chainId}-${contract}`;
}

/** A scheduler on BullMQ, for any number of worker processes: at most one job of the queue runs at a time in all of them. */
export function createBullmqScheduler(options: BullmqOptions): Scheduler {
  const { jobs, logger, redisUrl, queueName, checkMs = CHECK_MS } = options;
  const commands = connect({ commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 1 });
  const blocking = connect({ maxRetriesPerRequest: null });
  const queue = new Queue<JobData>(queueName, { connection: commands, defaultJobOptions: jobOptions });
  const worker = new Worker<JobData>(queueName, runJob, {
    connection: blocking,
    // Shown with each active job.
    name: String(process.pid),
    autorun: false,
    concurrency: 1,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MAX_STALLED,
  });
  let lastFault = "";
  let lastProblem = "";
  let isClosing = false;

  function connect(options: { maxRetriesPerRequest: number | null; commandTimeout?: number }): Redis {
    return new Redis(redisUrl, options).on("error", reportFault).on("ready", () => {
      lastFault = "";
    });
  }

  /** One line for each outage or refusal: the libraries report every attempt. */
  function reportFault(error: Error): void {
    const { fault, message } = describeRedisFault(error);
    if (fault !== lastFault) logger.error({ queue: queueName, fault }, message);
    lastFault = fault;
  }

  /** Writes one line when a problem appears. @param problem "" where there is none */
  function reportProblem(problem: string): void {
    if (problem !== "" && problem !== lastProblem) logger.error({ queue: queueName }, problem);
    lastProblem = problem;
  }

  async function runJob({ name, data, attemptsMade }: QueuedJob<JobData>): Promise<void> {
    const job = jobs.find((candidate) => candidate.name === name);
    const request = readRequest(data);
    const attempt = attemptsMade + 1;
    if (job === undefined || request === null) {
      logger.warn({ queue: queueName, job: name }, "the queue holds a job that no worker put there; it is dropped");
      throw new UnrecoverableError("unknown job");
    }
    try {
      await job.run(request);
    } catch (error) {
      // The error's text is stored in Redis, where no text of a node belongs. The limit of attempts in the job comes
      // from Redis, and is ignored.
      const mayRetry = isRetryable(error) && attempt < RUN_ATTEMPTS;
      throw mayRetry ? new Error("failed, see the log") : new UnrecoverableError("failed, see the log");
    }
  }

  /** Checks what may have changed in Redis since the last check, and repairs the cadence where it was lost. */
  async function check(): Promise<void> {
    const eviction = await evictionProblem(commands);
    if (isClosing) return;
    // A worker that already runs keeps running: stopping it would not protect its jobs.
    if (eviction !== "" && !worker.isRunning()) return reportProblem(eviction);
    await setCadence();
    if (isClosing) return;
    if (!worker.isRunning()) worker.run().catch(reportFault);
    const isPaused = await queue.isPaused();
    reportProblem(eviction || (isPaused ? "the queue is paused: no job runs until Queue.resume() of BullMQ" : ""));
    lastFault = "";
  }

  async function setCadence(): Promise<void> {
    const known = new Map((await queue.getJobSchedulers()).map((each) => [each.key, each]));
    const lost = jobs.filter((job) => isLost(job, known.get(job.name)));
    if (lost.length > 0) await queue.setGlobalConcurrency(1);
    for (const { name, everyMs } of lost) {
      // Removed first: an update would keep the time of the next run. One that was absent is not removed: another worker may have set it meanwhile.
      if (known.has(name)) await queue.removeJobScheduler(name);
      const template = { name, data: { atLeastBlock: null }, opts: jobOptions };
      await queue.upsertJobScheduler(name, { every: everyMs }, template);
    }
  }

  const runCheck = () =>
    within("checking the queue", CHECK_TIMEOUT_MS, check()).catch((error: unknown) => {
      const { isRefusal, message } = describeRedisFault(error);
      reportProblem(isRefusal ? message : "the queue is not ready: Redis does not answer its checks");
    });

  queue.on("error", reportFault);
  worker.on("error", reportFault);
  worker.on("stalled", (jobId) => logger.error({ queue: queueName, jobId }, "a worker died during this job"));
  let latestCheck = runCheck();
  const checks = setInterval(() => {
    latestCheck = runCheck();
  }, checkMs);

  return {
    async request(name: JobName, { atLeastBlock }: JobRequest, key: string) {
      const data = { atLeastBlock: atLeastBlock?.toString() ?? null };
      await within("requesting a job", COMMAND_TIMEOUT_MS, queue.add(name, data, { jobId: `${name}-${key}` }));
    },
    kind: "bullmq",
    count: () => within("counting the jobs", COMMAND_TIMEOUT_MS, queue.getJobCounts(...COUNTED_STATES)),
    async oldestWaitingAt() {
      const waiting = queue.getJobs(["waiting", "prioritized"], 0, 0, true);
      const [oldest] = await within("reading the oldest job", COMMAND_TIMEOUT_MS, waiting);
      return oldest?.timestamp ?? null;
    },
    async close() {
      isClosing = true;
      clearInterval(checks);
      await latestCheck;
      for (const part of [worker, queue]) {
        await within("closing the queue", CLOSE_TIMEOUT_MS, part.close()).catch((error: unknown) =>
          logger.warn({ queue: queueName, err: error }, "the queue did not close"),
        );
      }
      for (const connection of [commands, blocking]) connection.disconnect();
    },
  };
}

/** What Redis holds of a job scheduler; `next` is its next run in milliseconds since 1970. */
type StoredScheduler = { every?: number | undefined; next?: number | undefined };

/** Whether a job has no cadence: Redis came back empty, the setting changed, or a clock that was set back left the next run far away. */
function isLost({ everyMs }: Job, stored: StoredScheduler | undefined): boolean {
  if (stored?.next === undefined || Number(stored.every) !== everyMs) return true;
  return Math.abs(stored.next - Date.now()) > everyMs + CLOCK_SLACK_MS;
}

/** Reads a job's data; null where it has another form. Redis may hold anything. */
function readRequest(data: unknown): JobRequest | null {
  if (typeof data !== "object" || data === null || !("atLeastBlock" in data)) return null;
  const { atLeastBlock } = data;
  if (atLeastBlock === null) return { atLeastBlock };
  return typeof atLeastBlock === "string" && /^\d{1,20}$/.test(atLeastBlock)
    ? { atLeastBlock: BigInt(atLeastBlock) }
    : null;
}

/** A Redis that evicts keys when it is full loses jobs without an error. */
async function evictionProblem(redis: Redis): Promise<string> {
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(await redis.info("memory")) ?? [];
  if (policy === undefined || policy === "noeviction") return "";
  return `Redis evicts keys (maxmemory-policy ${policy}) and may lose jobs: set it to noeviction`;
}
