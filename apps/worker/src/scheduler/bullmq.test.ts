import { afterAll, describe, expect, spyOn, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import { ensureRedisServer } from "@dueday/test-support/services";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Queue } from "bullmq";
import { Redis } from "ioredis";
import type { Job } from "../jobs/job";
import { createBullmqScheduler } from "./bullmq";
import type { Scheduler } from "./scheduler";

const silent = createLogger(parseConfig({ LOG_LEVEL: "silent" }));
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const CHECK_MS = 300;
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function ownRedis(): Promise<RedisServer> {
  const server = await startRedis();
  cleanUps.push(() => server.stop());
  return server;
}

function recordingLogger() {
  const lines: string[] = [];
  return { lines, logger: createLogger(parseConfig({}), { write: (line) => void lines.push(line) }) };
}

function scheduler(server: RedisServer, jobs: Job[], queueName = "queue", logger = silent): Scheduler {
  const made = createBullmqScheduler({
    jobs,
    logger,
    redisUrl: `unix://${server.path}`,
    queueName,
    checkMs: CHECK_MS,
  });
  cleanUps.push(() => made.close());
  return made;
}

/** Waits until a Redis was checked again, twice: the first of the two may have begun before the call. */
async function twoChecks(server: RedisServer): Promise<void> {
  const redis = new Redis(server.path);
  let own = 0;
  /** How often others have sent INFO, which is what a check begins with. */
  const checks = async () => {
    const [, calls = "0"] = /^cmdstat_info:calls=(\d+)/m.exec(await redis.info("commandstats")) ?? [];
    return Number(calls) - own++;
  };
  const before = await checks();
  await waitUntil("two checks", async () => (await checks()) >= before + 2);
  redis.disconnect();
}

function countingJob(everyMs = HOUR_MS, work = async () => {}) {
  const count = { runs: 0 };
  const job: Job = {
    name: "scan_due",
    everyMs,
    async run() {
      count.runs++;
      await work();
    },
  };
  return { job, count };
}

describe.if(ensureRedisServer())("BullMQ", () => {
  // One after the other: a dozen queues that start at once keep a busy machine from answering a request within its time.
  test("two workers that see the same block run its scan once", async () => {
    const server = await ownRedis();
    const { job, count } = countingJob();
    const workers = [scheduler(server, [job]), scheduler(server, [job])];
    await waitUntil("the cadence's first run", () => count.runs === 1);
    for (const worker of workers) await worker.request("scan_due", { atLeastBlock: 5n }, "0xab");
    await workers[0]?.request("scan_due", { atLeastBlock: 6n }, "0xcd");
    await waitUntil("the runs of two blocks", () => count.runs === 3);
    const redis = new Redis(server.path);
    expect(await redis.llen("bull:queue:wait")).toBe(0);
    redis.disconnect();
    expect(count.runs).toBe(3);
  });

  test("one job runs at a time, whichever worker runs it", async () => {
    const server = await ownRedis();
    let running = 0;
    let most = 0;
    const { job, count } = countingJob(HOUR_MS, async () => {
      most = Math.max(most, ++running);
      await Bun.sleep(30);
      running--;
    });
    const workers = [scheduler(server, [job]), scheduler(server, [job])];
    await waitUntil("the cadence's first run", () => count.runs === 1);
    for (let block = 0; block < 10; block++) {
      await workers[block % 2]?.request("scan_due", { atLeastBlock: BigInt(block) }, `0x${block}`);
    }
    await waitUntil("all runs", () => count.runs === 11 && running === 0);
    expect(most).toBe(1);
  });

  test("a worker killed over a job leaves it to another", async () => {
    const server = await ownRedis();
    const victim = Bun.spawn(
      [process.execPath, `${import.meta.dir}/../../test/bullmqVictim.ts`, `unix://${server.path}`],
      {
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
      },
    );
    cleanUps.push(async () => victim.kill("SIGKILL"));
    const begun = await victim.stdout.getReader().read();
    expect(new TextDecoder().decode(begun.value)).toBe("begun\n");
    victim.kill("SIGKILL");
    const { job, count } = countingJob();
    scheduler(server, [job], "killed");
    await waitUntil("the job to be taken over", () => count.runs >= 1);
  });

  test("with Redis gone, neither a request nor a close hangs, and an empty Redis gets its cadence again", async () => {
    const server = await ownRedis();
    const { job, count } = countingJob(200);
    const worker = scheduler(server, [job]);
    await waitUntil("the first run", () => count.runs >= 1);
    await server.kill();
    await expect(worker.request("scan_due", { atLeastBlock: 1n }, "0x1")).rejects.toThrow();
    await server.start();
    const before = count.runs;
    await waitUntil("runs on the empty Redis", () => count.runs >= before + 3);
    await server.kill();
    await worker.close();
  });

  test("a Redis that does not answer delays no request and no close indefinitely", async () => {
    const server = await ownRedis();
    const { job, count } = countingJob();
    const worker = scheduler(server, [job]);
    await waitUntil("the first run", () => count.runs === 1);
    server.freeze();
    await expect(worker.request("scan_due", { atLeastBlock: 1n }, "0x1")).rejects.toThrow();
    await worker.close();
    server.thaw();
  });

  test("a Redis that evicts keys is refused: no job runs until it is set right", async () => {
    const server = await ownRedis();
    const redis = new Redis(server.path);
    await redis.config("SET", "maxmemory-policy", "allkeys-lru");
    const { job, count } = countingJob();
    const { lines, logger } = recordingLogger();
    const worker = scheduler(server, [job], "queue", logger);
    const request = () => worker.request("scan_due", { atLeastBlock: 1n }, "0x1");
    // A queue that is about to connect on a busy machine may refuse it. The same request twice is one.
    await waitUntil("the request to be stored", () =>
      request().then(
        () => true,
        () => false,
      ),
    );
    await waitUntil("the refusal", () => lines.some((line) => line.includes("noeviction")));
    await twoChecks(server);
    expect(count.runs).toBe(0);
    expect(lines.filter((line) => line.includes("noeviction")).length).toBe(1);
    await redis.config("SET", "maxmemory-policy", "noeviction");
    await waitUntil("the requested run and the cadence's", () => count.runs === 2);
    redis.disconnect();
  });

  test("a Redis that is switched to eviction later is reported, once for each switch", async () => {
    const server = await ownRedis();
    const redis = new Redis(server.path);
    const { job, count } = countingJob();
    const { lines, logger } = recordingLogger();
    scheduler(server, [job], "queue", logger);
    await waitUntil("the cadence's first run", () => count.runs === 1);
    for (let switches = 1; switches <= 2; switches++) {
      await redis.config("SET", "maxmemory-policy", "allkeys-lru");
      const reported = () => lines.filter((line) => line.includes("noeviction")).length;
      await waitUntil("the report", () => reported() === switches);
      await twoChecks(server);
      expect(reported()).toBe(switches);
      await redis.config("SET", "maxmemory-policy", "noeviction");
      await twoChecks(server);
    }
    redis.disconnect();
  });

  test("checks do not change a cadence that is right", async () => {
    const server = await ownRedis();
    const { job, count } = countingJob();
    scheduler(server, [job]);
    scheduler(server, [job]);
    await waitUntil("the cadence's first run", () => count.runs === 1);
    // Those of both schedulers.
    for (let round = 0; round < 2; round++) await twoChecks(server);
    expect(count.runs).toBe(1);
  });

  test("a job with a thousand attempts in Redis gets four, and one of another form none", async () => {
    const server = await ownRedis();
    const failing = async () => {
      throw new ServiceError("UPSTREAM_UNAVAILABLE", "away");
    };
    const { job, count } = countingJob(HOUR_MS, failing);
    const { lines, logger } = recordingLogger();
    scheduler(server, [job], "queue", logger);
    await waitUntil("the cadence's attempts", () => count.runs === 4);
    const connection = new Redis(server.path, { maxRetriesPerRequest: null });
    const stranger = new Queue("queue", { connection });
    await stranger.add("scan_due", { atLeastBlock: null }, { attempts: 1_000 });
    await waitUntil("four attempts", () => count.runs === 8);
    for (const data of [{ atLeastBlock: "1e9" }, { atLeastBlock: 7 }, {}]) await stranger.add("scan_due", data);
    await stranger.add("mine_bitcoin", { atLeastBlock: null });
    await waitUntil("all to be dropped", () => lines.filter((line) => line.includes("is dropped")).length === 4);
    await waitUntil("the queue to be idle", async () => (await stranger.getActiveCount()) === 0);
    // The next run of the cadence; a fifth attempt would wait too.
    expect(await stranger.getDelayedCount()).toBe(1);
    expect(count.runs).toBe(8);
    await stranger.close();
    connection.disconnect();
  });

  test("a paused queue is reported, once", async () => {
    const server = await ownRedis();
    const { job, count } = countingJob();
    const { lines, logger } = recordingLogger();
    scheduler(server, [job], "queue", logger);
    await waitUntil("the cadence's first run", () => count.runs === 1);
    const connection = new Redis(server.path, { maxRetriesPerRequest: null });
    const stranger = new Queue("queue", { connection });
    await stranger.pause();
    const reports = () => lines.filter((line) => line.includes("the queue is paused")).length;
    await waitUntil("the report", () => reports() === 1);
    await twoChecks(server);
    expect(reports()).toBe(1);
    await stranger.close();
    connection.disconnect();
  });

  test("a key of another type is reported as such, not as a Redis that can't be reached", async () => {
    const server = await ownRedis();
    const redis = new Redis(server.path);
    await redis.set("bull:queue:wait", "not a list");
    await redis.set("bull:queue:repeat", "not a sorted set");
    const { job } = countingJob();
    const { lines, logger } = recordingLogger();
    scheduler(server, [job], "queue", logger);
    await waitUntil("the report", () => lines.some((line) => line.includes("a value of another type")));
    expect(lines.join()).not.toContain("can't be reached");
    redis.disconnect();
  });

  test("a cadence whose next run is a year ahead, after a clock was set back, is set again", async () => {
    const server = await ownRedis();
    const { job, count } = countingJob(1_000);
    const { now } = Date;
    const clock = spyOn(Date, "now").mockImplementation(() => now() + 400 * DAY_MS);
    const ahead = scheduler(server, [job]);
    await waitUntil("runs in the future", () => count.runs >= 2).finally(() => clock.mockRestore());
    await ahead.close();
    const before = count.runs;
    scheduler(server, [job]);
    await waitUntil("runs at the present", () => count.runs >= before + 3);
  });
});
