import { afterAll, describe, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { ensureRedisServer } from "@dueday/test-support/services";
import { type RedisServer, startRedis } from "@dueday/test-support/startRedis";
import { waitUntil } from "@dueday/test-support/waitUntil";
import { Redis } from "ioredis";
import type { Job } from "../jobs/job";
import { createBullmqScheduler } from "./bullmq";
import type { Scheduler } from "./scheduler";

const silent = createLogger(parseConfig({ LOG_LEVEL: "silent" }));
const HOUR_MS = 3_600_000;
const cleanUps: (() => Promise<unknown>)[] = [];

afterAll(async () => {
  for (const cleanUp of cleanUps.toReversed()) await cleanUp();
});

async function ownRedis(): Promise<RedisServer> {
  const server = await startRedis();
  cleanUps.push(() => server.stop());
  return server;
}

function scheduler(server: RedisServer, jobs: Job[], queueName = "queue", logger = silent): Scheduler {
  const made = createBullmqScheduler({
    jobs,
    logger,
    redisUrl: `unix://${server.path}`,
    queueName,
    cadenceCheckMs: 300,
  });
  cleanUps.push(() => made.close());
  return made;
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

  test("with Redis gone, neither a request nor a close hangs, and back and empty it gets its cadence again", async () => {
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

  test("a Redis that does not answer delays neither a request nor a close for ever", async () => {
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
    const lines: string[] = [];
    const telling = createLogger(parseConfig({}), { write: (line) => void lines.push(line) });
    const worker = scheduler(server, [job], "queue", telling);
    await worker.request("scan_due", { atLeastBlock: 1n }, "0x1");
    await waitUntil("two refusals", () => lines.filter((line) => line.includes("noeviction")).length >= 2);
    expect(count.runs).toBe(0);
    await redis.config("SET", "maxmemory-policy", "noeviction");
    await waitUntil("the requested run and the cadence's", () => count.runs === 2);
    redis.disconnect();
  });
});
