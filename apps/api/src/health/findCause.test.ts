import { describe, expect, test } from "bun:test";
import { type Circumstances, findCause } from "./findCause";
import { createHeadAge } from "./headAge";

const STOPPED = { seconds: 40, usualSeconds: 2, isStopped: true };
const everything: Circumstances = {
  symptoms: ["no scan within STALE_AFTER_MS"],
  isDatedAhead: true,
  databaseIsAway: true,
  nodeFault: "it can't be reached",
  headAge: STOPPED,
  blockAgeSeconds: 600,
  workers: 0,
};

test("the cause is the first of clock, database, node stopped, node behind and worker that explains the symptoms", () => {
  const cures: Partial<Circumstances>[] = [
    { isDatedAhead: false },
    { databaseIsAway: false },
    { nodeFault: null },
    { headAge: { ...STOPPED, isStopped: false } },
    { blockAgeSeconds: 1 },
    { symptoms: [] },
  ];
  let circumstances = everything;
  const found = [findCause(circumstances)?.cause];
  for (const cure of cures) {
    circumstances = { ...circumstances, ...cure };
    found.push(findCause(circumstances)?.cause);
  }
  expect(found).toEqual(["clock", "database", "node_stopped", "node_stopped", "node_behind", "worker", undefined]);
});

test("a stopped node is named with the age of its head and what was usual, and the worker is not blamed", () => {
  const circumstances = { ...everything, isDatedAhead: false, databaseIsAway: false, nodeFault: null };
  const { reason } = findCause(circumstances) ?? {};
  expect(reason).toMatch(/has not changed for 40 s; before, it changed at least every 2 s.*no scan within/);
  expect(reason).not.toContain("worker");
});

describe("the age of a head", () => {
  let now = 0;
  const start = (minesOnDemand = false) =>
    createHeadAge({ minesOnDemand, elapsed: () => now, clock: () => 1_700_000_000_000 });

  test("is judged against the longest time between two changes, and against 15 s at least", () => {
    const age = start();
    for (const second of [0, 2, 4, 6]) {
      now = second * 1000;
      age.note({ hash: `0x${second}`, timestamp: 1_700_000_000n });
    }
    now = 20_000;
    expect(age.read()).toEqual({ seconds: 14, usualSeconds: 2, isStopped: false });
    now = 22_000;
    expect(age.read()?.isStopped).toBe(true);
    const slow = start();
    for (const minute of [0, 1, 2]) {
      now = minute * 60_000;
      slow.note({ hash: `0x${minute}`, timestamp: 1_700_000_000n });
    }
    now += 170_000;
    expect(slow.read()?.isStopped).toBe(false);
    now += 11_000;
    expect(slow.read()?.isStopped).toBe(true);
  });

  test("of the first head is that of its block, so that a process that starts late knows that the node stands still", () => {
    const age = start();
    age.note({ hash: "0x1", timestamp: 1_699_999_900n });
    expect(age.read()).toEqual({ seconds: 100, usualSeconds: null, isStopped: true });
  });

  test("means nothing on a chain that mines on demand", () => {
    const age = start(true);
    age.note({ hash: "0x1", timestamp: 1n });
    now += 3_600_000;
    expect(age.read()).toEqual({ seconds: 3_600, usualSeconds: null, isStopped: false });
  });
});
