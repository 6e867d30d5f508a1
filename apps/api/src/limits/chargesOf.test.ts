import { expect, test } from "bun:test";
import { parseConfig } from "@dueday/config/parseConfig";
import type { Bucket } from "../operation/defineOperation";
import { chargesOf } from "./chargesOf";

const { limits } = parseConfig({});

function costs(calls: Bucket[]): Record<string, number> {
  return Object.fromEntries(chargesOf(limits.free, calls).map(({ name, cost }) => [name, cost]));
}

test("a call takes one of each bucket that its operation is in, at the lane's figures", () => {
  expect(costs(["unlimited"])).toEqual({ dailyTotalRequests: 1 });
  expect(costs(["cheap"])).toEqual({ globalRpm: 1, dailyTotalRequests: 1 });
  expect(costs(["expensive"])).toEqual({ globalRpm: 1, expensiveRpm: 1, dailyTotalRequests: 1 });
  expect(costs(["history"])).toEqual({ globalRpm: 1, expensiveRpm: 1, subgraphDaily: 1, dailyTotalRequests: 1 });
  expect(costs(["write"])).toEqual({ writeRpm: 1, writeDaily: 1, dailyTotalRequests: 1 });
  expect(chargesOf(limits.developer, ["history"]).map(({ limit }) => limit)).toEqual([80, 40, 3_000, 5_000]);
});

test("several calls in one request take one for each call", () => {
  expect(costs(["cheap", "write", "history", "cheap"])).toEqual({
    globalRpm: 3,
    dailyTotalRequests: 4,
    writeRpm: 1,
    writeDaily: 1,
    expensiveRpm: 1,
    subgraphDaily: 1,
  });
});

test("only a request without any limited call is never refused", () => {
  expect(chargesOf(limits.free, ["unlimited"]).every(({ enforced }) => enforced)).toBe(false);
  expect(chargesOf(limits.free, ["unlimited", "cheap"]).every(({ enforced }) => enforced)).toBe(true);
});
