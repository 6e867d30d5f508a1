import { expect, test } from "bun:test";
import { parseConfig } from "@dueday/config/parseConfig";
import type { Decision } from "../limits/limiter";
import { memoryLimiter } from "../limits/memoryLimiter";
import type { Bucket } from "../operation/defineOperation";
import { createTakeBuckets, sumCharges } from "./requestLimits";

const config = parseConfig({});
const { limits } = config;

function costs(calls: Bucket[]): Record<string, number> {
  return Object.fromEntries(sumCharges(limits.free, calls).map(({ name, cost }) => [name, cost]));
}

test("a call takes one of each bucket that its operation is in, at the lane's figures", () => {
  expect(costs(["unlimited"])).toEqual({ dailyTotalRequests: 1 });
  expect(costs(["cheap"])).toEqual({ globalRpm: 1, dailyTotalRequests: 1 });
  expect(costs(["expensive"])).toEqual({ globalRpm: 1, expensiveRpm: 1, dailyTotalRequests: 1 });
  expect(costs(["history"])).toEqual({ globalRpm: 1, expensiveRpm: 1, subgraphDaily: 1, dailyTotalRequests: 1 });
  expect(costs(["write"])).toEqual({ writeRpm: 1, writeDaily: 1, dailyTotalRequests: 1 });
  expect(sumCharges(limits.developer, ["history"]).map(({ limit }) => limit)).toEqual([80, 40, 3_000, 5_000]);
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
  expect(sumCharges(limits.free, ["unlimited"]).every(({ enforced }) => enforced)).toBe(false);
  expect(sumCharges(limits.free, ["unlimited", "cheap"]).every(({ enforced }) => enforced)).toBe(true);
});

function freeLimits() {
  const free = { ...limits.free, globalRpm: 3, expensiveRpm: 2 };
  const takeBuckets = createTakeBuckets(memoryLimiter({ clock: () => 1 }), { ...config, limits: { ...limits, free } });
  return {
    async take(identities: [string, ...string[]], calls: Bucket[]) {
      const caller = { lane: "free", client: "a", identities, trusted: false, subject: null } as const;
      const exchange = { caller, decision: null as Decision | null, method: "GET", operation: null, path: "/" };
      const error: unknown = await takeBuckets(exchange, calls).catch((reason: unknown) => reason);
      return { error, states: exchange.decision?.states ?? [] };
    },
    left: ({ states }: Pick<Decision, "states">) => states.map(({ demand, remaining }) => [demand.name, remaining]),
  };
}

test("calls of all buckets, alone or several in one request, are counted in the same buckets", async () => {
  const { take, left } = freeLimits();
  await take(["free:a"], ["cheap"]);
  await take(["free:a"], ["unlimited", "cheap"]);
  await take(["free:a"], ["expensive"]);
  const refused = await take(["free:a"], ["cheap"]);
  expect(refused.error).toMatchObject({ code: "RATE_LIMITED" });
  expect(left(refused)).toEqual([
    ["globalRpm", 0],
    ["dailyTotalRequests", limits.free.dailyTotalRequests - 4],
  ]);
});

test("a second identity of the same client counts in the minute buckets alone", async () => {
  const { take, left } = freeLimits();
  const both = await take(["free:today", "free:yesterday"], ["cheap"]);
  expect(both.states.map(({ demand }) => demand.name)).toEqual(["globalRpm", "globalRpm", "dailyTotalRequests"]);
  expect(left(await take(["free:yesterday"], ["cheap"]))).toEqual([
    ["globalRpm", 1],
    ["dailyTotalRequests", limits.free.dailyTotalRequests - 1],
  ]);
});
