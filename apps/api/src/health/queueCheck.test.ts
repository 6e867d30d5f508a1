import { expect, test } from "bun:test";
import type { WorkerMessage } from "@dueday/db/workerMessage";
import { createQueueReports } from "./queueCheck";

const idle: WorkerMessage["queues"][number] = {
  chainId: 8453,
  kind: "bullmq",
  waiting: 0,
  active: 1,
  oldestSeconds: null,
  fault: null,
};

function start() {
  let now = 0;
  const reports = createQueueReports(() => now);
  return {
    pass(seconds: number) {
      now += seconds * 1000;
    },
    hear: (worker: string, queues: WorkerMessage["queues"]) => reports.hear({ worker, validForMs: 30_000, queues }),
    check: reports.check,
    scanOf: reports.scanOf,
  };
}

test("the queue is unknown before the first report, and without a worker after 30 s of silence", () => {
  const { check, hear, pass } = start();
  expect(check()).toMatchObject({ status: "off", workers: 0 });
  pass(31);
  expect(check()).toMatchObject({ status: "degraded", workers: 0, reason: expect.stringContaining("no worker") });
  hear("a", [idle]);
  expect(check()).toEqual({
    status: "ok",
    kind: "bullmq",
    workers: 1,
    depth: 0,
    active: 1,
    oldestSeconds: null,
    redis: { status: "ok" },
  });
  pass(31);
  expect(check()).toMatchObject({ status: "degraded", workers: 0 });
});

test("depth and age are those of all queues, workers without a chain count too, and a later report replaces the earlier", () => {
  const { check, hear } = start();
  hear("a", [{ ...idle, waiting: 9 }]);
  hear("a", [
    { ...idle, waiting: 2, oldestSeconds: 5 },
    { ...idle, chainId: 84532, waiting: 1, oldestSeconds: 61 },
  ]);
  hear("standby", []);
  expect(check()).toMatchObject({ status: "degraded", workers: 2, depth: 3, active: 2, oldestSeconds: 61 });
  expect(check().reason).toContain("61 s");
});

test("a Redis that a worker can't use is named", () => {
  const { check, hear } = start();
  hear("a", [{ ...idle, fault: "Redis does not answer" }]);
  expect(check()).toMatchObject({
    status: "degraded",
    reason: "Redis does not answer",
    redis: { status: "down", reason: "Redis does not answer" },
  });
});

test("a running scan is shown while its worker reports, and a job that waits for it does not degrade the queue", () => {
  const { check, hear, pass, scanOf } = start();
  const scan = {
    job: "scan_due" as const,
    startedAt: 0,
    deadline: 140_000,
    subscriptions: 10_000,
    subscriptionsRead: 500,
  };
  hear("a", [{ ...idle, oldestSeconds: 90, scan }]);
  expect(scanOf(84532)).toBeNull();
  expect(scanOf(idle.chainId)).toEqual({
    job: "scan_due",
    startedAt: "1970-01-01T00:00:00.000Z",
    deadline: "1970-01-01T00:02:20.000Z",
    subscriptions: 10_000,
    subscriptionsRead: 500,
  });
  expect(check().status).toBe("ok");
  pass(31);
  expect(scanOf(idle.chainId)).toBeNull();
});
