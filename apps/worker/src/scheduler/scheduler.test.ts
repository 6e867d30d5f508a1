import { afterEach, describe, expect, test } from "bun:test";
import { createLogger } from "@dueday/config/createLogger";
import { parseConfig } from "@dueday/config/parseConfig";
import { ServiceError } from "@dueday/core/errors";
import { testRedis } from "@dueday/test-support/services";
import { waitUntil } from "@dueday/test-support/waitUntil";
import type { Job, JobName, JobRequest } from "../jobs/job";
import { createBullmqScheduler } from "./bullmq";
import { createInProcessScheduler } from "./inProcess";
import type { Scheduler } from "./scheduler";

const logger = createLogger(parseConfig({ LOG_LEVEL: "silent" }));
const redis = await testRedis();
const HOUR_MS = 3_600_000;
const open: Scheduler[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((scheduler) => scheduler.close()));
});

type Make = (jobs: Job[]) => Scheduler;

const kinds: [string, Make][] = [
  ["in process", (jobs) => keep(createInProcessScheduler({ jobs, logger }))],
  ...(redis === null ? [] : [["on BullMQ", (jobs) => keep(onBullmq(jobs, newQueue()))] satisfies [string, Make]]),
];

function newQueue(): string {
  return `test-${crypto.randomUUID()}`;
}

function onBullmq(jobs: Job[], queueName: string): Scheduler {
  if (redis === null) throw new Error("there is no Redis");
  const redisUrl = redis.startsWith("/") ? `unix://${redis}` : redis;
  return createBullmqScheduler({ jobs, logger, redisUrl, queueName });
}

function keep(scheduler: Scheduler): Scheduler {
  open.push(scheduler);
  return scheduler;
}

/** A job that notes its requests and runs `work`. */
function notingJob(name: JobName, work: (request: JobRequest) => Promise<void> = async () => {}, everyMs = HOUR_MS) {
  const requests: JobRequest[] = [];
  const job: Job = {
    name,
    everyMs,
    async run(request) {
      requests.push(request);
      await work(request);
    },
  };
  return { job, requests };
}

describe.each(kinds)("a scheduler %s", (_, make) => {
  test("runs every job at once, and again on its cadence", async () => {
    const often = notingJob("scan_due", undefined, 100);
    const seldom = notingJob("prune");
    make([often.job, seldom.job]);
    await waitUntil(
      "three runs of one and one of the other",
      () => often.requests.length >= 3 && seldom.requests.length === 1,
    );
    expect(often.requests[0]).toEqual({ atLeastBlock: null });
  });

  test("passes on the block of a request, beyond 2^53 too", async () => {
    const { job, requests } = notingJob("scan_remit");
    const scheduler = make([job]);
    await waitUntil("the first run", () => requests.length === 1);
    await scheduler.request("scan_remit", { atLeastBlock: 2n ** 60n }, "0xaa");
    await waitUntil("the requested run", () => requests.length === 2);
    expect(requests[1]).toEqual({ atLeastBlock: 2n ** 60n });
  });

  test("never runs two jobs at a time", async () => {
    let running = 0;
    let most = 0;
    const work = async () => {
      most = Math.max(most, ++running);
      await Bun.sleep(20);
      running--;
    };
    const [remit, due] = [notingJob("scan_remit", work), notingJob("scan_due", work)];
    const scheduler = make([remit.job, due.job]);
    await waitUntil("the first runs", () => remit.requests.length >= 1 && due.requests.length >= 1);
    for (const key of ["0x1", "0x2", "0x3"]) {
      await scheduler.request("scan_remit", { atLeastBlock: 1n }, key);
      await scheduler.request("scan_due", { atLeastBlock: 1n }, key);
    }
    await waitUntil("both jobs", () => remit.requests.length >= 2 && due.requests.length >= 2 && running === 0);
    expect(most).toBe(1);
  });

  test("retries a job that may succeed later", async () => {
    let failures = 2;
    const { job, requests } = notingJob("scan_due", async () => {
      if (failures-- > 0) throw new ServiceError("UPSTREAM_UNAVAILABLE", "away");
    });
    make([job]);
    await waitUntil("the third attempt", () => requests.length === 3);
  });

  test("does not retry a job that can't succeed, and runs the others", async () => {
    const doomed = notingJob("scan_remit", async () => {
      throw new TypeError("a bug");
    });
    const { job, requests } = notingJob("scan_due", undefined, 200);
    make([doomed.job, job]);
    // Longer than the first retries would take.
    await waitUntil("ten runs of the other", () => requests.length >= 10);
    expect(doomed.requests.length).toBe(1);
  });

  test("waits for the running job when it is closed, and starts no other", async () => {
    let ended = false;
    const gate = Promise.withResolvers<void>();
    const slow = notingJob("scan_remit", async () => {
      await gate.promise;
      // The close that is under way has to wait for this.
      await Bun.sleep(100);
      ended = true;
    });
    const never = notingJob("scan_due");
    const scheduler = make([slow.job, never.job]);
    await waitUntil("the job to begin", () => slow.requests.length === 1);
    const closed = scheduler.close();
    gate.resolve();
    await closed;
    expect(ended).toBe(true);
    await scheduler.request("scan_due", { atLeastBlock: 1n }, "0xbb").catch(() => {});
    expect(never.requests).toEqual([]);
  });
});

test("in process, requests that meet in the queue are one run for the highest block", async () => {
  const gate = Promise.withResolvers<void>();
  const { job, requests } = notingJob("scan_due", () => gate.promise);
  const scheduler = keep(createInProcessScheduler({ jobs: [job], logger }));
  await waitUntil("the first run", () => requests.length === 1);
  for (const block of [7n, 9n, 8n]) await scheduler.request("scan_due", { atLeastBlock: block }, `0x${block}`);
  gate.resolve();
  await waitUntil("the second run", () => requests.length === 2);
  await scheduler.close();
  expect(requests).toEqual([{ atLeastBlock: null }, { atLeastBlock: 9n }]);
});
