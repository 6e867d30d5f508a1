import { within } from "@dueday/config/within";
import { Queue, type Job as QueuedJob, UnrecoverableError, Worker } from "bullmq";
import { Redis } from "ioredis";
import type { JobName, JobRequest } from "../jobs/job";
import { FIRST_RETRY_MS, isRetryable, RUN_ATTEMPTS } from "./retry";
import type { Scheduler, SchedulerOptions } from "./scheduler";

export type BullmqOptions = SchedulerOptions & {
  redisUrl: string;
  /** One queue for each chain: order and limits are those of a queue. */
  queueName: string;
  /** How often the cadence is looked after: a Redis that came back empty has lost it. Default 10 s. */
  cadenceCheckMs?: number;
};

/** JSON form of a JobRequest. */
type JobData = { atLeastBlock: string | null };

/** A job whose worker was killed is taken up by another after the lock and the next check. */
const LOCK_MS = 3_000;
const STALLED_CHECK_MS = 1_000;
/** Deaths that a job may outlive: jobs are idempotent, and the default of one fails a job for two kills. */
const MAX_STALLED = 10;
const COMMAND_TIMEOUT_MS = 2_000;
const CLOSE_TIMEOUT_MS = 3_000;
const CADENCE_CHECK_MS = 10_000;
const CADENCE_TIMEOUT_MS = 5_000;

/** Finished jobs are removed in time, so their numbers say nothing. */
const COUNTED_STATES = ["waiting", "prioritized", "active", "delayed"] as const;

const jobOptions = {
  attempts: RUN_ATTEMPTS,
  backoff: { type: "exponential", delay: FIRST_RETRY_MS },
  // Kept for a while, so that another worker's request for the same block is known as done.
  removeOnComplete: { count: 200 },
  removeOnFail: true,
};

/** The same work on BullMQ, for any number of worker processes: at most one job of the queue runs at a time, in any of them. */
export function createBullmqScheduler(options: BullmqOptions): Scheduler {
  const { jobs, logger, redisUrl, queueName, cadenceCheckMs = CADENCE_CHECK_MS } = options;
  const commands = connect({ commandTimeout: COMMAND_TIMEOUT_MS, maxRetriesPerRequest: 1 });
  const blocking = connect({ maxRetriesPerRequest: null });
  const queue = new Queue<JobData>(queueName, { connection: commands, defaultJobOptions: jobOptions });
  const worker = new Worker<JobData>(queueName, runJob, {
    connection: blocking,
    // A job that is under way names it.
    name: String(process.pid),
    autorun: false,
    concurrency: 1,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: MAX_STALLED,
  });
  let lastFault = "";

  function connect(options: { maxRetriesPerRequest: number | null; commandTimeout?: number }): Redis {
    return new Redis(redisUrl, options).on("error", reportFault).on("ready", () => {
      lastFault = "";
    });
  }

  /** One line for each outage: the libraries report every attempt to connect. */
  function reportFault(error: Error): void {
    const fault = Reflect.get(error, "code") ?? error.name;
    if (fault !== lastFault) logger.error({ queue: queueName, fault }, "the queue can't be reached");
    lastFault = String(fault);
  }

  async function runJob({ name, data, attemptsMade }: QueuedJob<JobData>): Promise<void> {
    const job = jobs.find((candidate) => candidate.name === name);
    if (job === undefined) throw new UnrecoverableError(`this worker knows no job ${name}`);
    try {
      await job.run({ atLeastBlock: data.atLeastBlock === null ? null : BigInt(data.atLeastBlock) });
    } catch (error) {
      logger.warn({ job: name, attempt: attemptsMade + 1, err: error }, "job failed");
      // The text is kept in Redis, where nothing that an upstream said belongs.
      throw isRetryable(error) ? new Error("failed, see the log") : new UnrecoverableError("failed, see the log");
    }
  }

  async function layDownCadence(): Promise<void> {
    await refuseEviction(commands);
    await queue.setGlobalConcurrency(1);
    for (const { name, everyMs } of jobs) {
      await queue.upsertJobScheduler(
        name,
        { every: everyMs },
        { name, data: { atLeastBlock: null }, opts: jobOptions },
      );
    }
    if (!worker.isRunning()) worker.run().catch(reportFault);
  }

  /** Until it is laid down for the first time, then whenever it was lost. */
  async function keepCadence(): Promise<void> {
    const isKept = worker.isRunning() && (await queue.getJobSchedulersCount()) >= jobs.length;
    if (!isKept) await layDownCadence();
  }

  const checkCadence = () =>
    within("laying down the cadence", CADENCE_TIMEOUT_MS, keepCadence()).catch((error: unknown) =>
      logger.error({ queue: queueName, err: error }, "the queue is not ready"),
    );

  queue.on("error", reportFault);
  worker.on("error", reportFault);
  worker.on("stalled", (jobId) => logger.error({ queue: queueName, jobId }, "a worker died over this job"));
  const cadence = setInterval(checkCadence, cadenceCheckMs);
  const firstCheck = checkCadence();

  return {
    async request(name: JobName, { atLeastBlock }: JobRequest, key: string) {
      const data = { atLeastBlock: atLeastBlock?.toString() ?? null };
      await within("asking for a job", COMMAND_TIMEOUT_MS, queue.add(name, data, { jobId: `${name}-${key}` }));
    },
    count: () => within("counting the jobs", COMMAND_TIMEOUT_MS, queue.getJobCounts(...COUNTED_STATES)),
    async close() {
      clearInterval(cadence);
      await firstCheck;
      for (const part of [worker, queue]) {
        await within("closing the queue", CLOSE_TIMEOUT_MS, part.close()).catch((error: unknown) =>
          logger.warn({ queue: queueName, err: error }, "the queue did not close"),
        );
      }
      for (const connection of [commands, blocking]) connection.disconnect();
    },
  };
}

/** A Redis that evicts keys when it is full would lose jobs in silence. */
async function refuseEviction(redis: Redis): Promise<void> {
  const [, policy] = /^maxmemory_policy:(\S+)/m.exec(await redis.info("memory")) ?? [];
  if (policy === undefined || policy === "noeviction") return;
  throw new Error(`Redis evicts keys (maxmemory-policy ${policy}): set it to noeviction`);
}
