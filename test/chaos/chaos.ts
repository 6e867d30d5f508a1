import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { ensureRedisServer } from "@dueday/test-support/services";
import { eventFaults } from "./eventFaults";
import { type Fault, faults } from "./faults";
import { printTable, type Result } from "./printTable";
import { type Stage, startStage } from "./startStage";
import type { Sighting } from "./startWatcher";

/** All of it has to fit into a CI run: 12 minutes. The table has the longest recovery of each fault; each wait of `healthy()` gives up after a minute. */
setDefaultTimeout(180_000);

const results: Result[] = [];
let stage: Stage;

beforeAll(async () => {
  ensureRedisServer();
  stage = await startStage();
});

afterAll(async () => {
  await stage.stop();
  printTable(results);
});

test.each([...faults, ...eventFaults].map((fault) => [fault.name, fault] as const))("%s", async (_name, fault) => {
  await stage.node.mood("well");
  await stage.settled();
  await stage.healthy();
  await stage.watcher.seen();
  // A day begins, so that there is work to be lost or done twice.
  await stage.nextDay();
  const recoveries: number[] = [];
  await fault.run(stage, (milliseconds) => recoveries.push(milliseconds));
  const overAt = performance.now();
  await stage.healthy();
  const recoveryMs = Math.max(...recoveries, performance.now() - overAt);
  await stage.settled();
  await stage.healthy();
  const seen = await stage.watcher.seen();
  const index = await stage.compareIndex();
  results.push({ fault, seen, recoveryMs, index });
  expect(seen.wrong).toEqual([]);
  expect(index).toBeNull();
  expectSeen(fault, seen);
});

function expectSeen({ expected }: Fault, seen: Sighting): void {
  expect(seen.fresh).toBeGreaterThan(0);
  expect(Object.keys(seen.errors).filter((name) => name.startsWith("polled"))).toEqual([]);
  if (expected.polled === "fresh") expect(seen.stale).toBe(0);
  if (expected.polled === "stale") expect(seen.stale).toBeGreaterThan(0);
  if (expected.live === "answered") expect(seen.errors).toEqual({});
  if (expected.lostApi === undefined) expect(seen.refused).toBe(0);
  if (expected.lostApi !== "refuses and cuts") expect(seen.cut).toEqual([]);
}
