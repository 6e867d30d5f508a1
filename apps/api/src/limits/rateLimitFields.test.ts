import { expect, test } from "bun:test";
import type { BucketState, Decision, Demand } from "./limiter";
import { rateLimited } from "./rateLimited";
import { rateLimitFields } from "./rateLimitFields";

function state(demand: Partial<Demand>, figures: Partial<BucketState>): BucketState {
  return {
    demand: {
      name: "globalRpm",
      identity: "free:a",
      limit: 20,
      window: "minute",
      cost: 1,
      enforced: true,
      ...demand,
    },
    remaining: 0,
    resetMs: 0,
    fits: true,
    ...figures,
  };
}

function decision(states: BucketState[], admitted = true): Decision {
  return { admitted, states };
}

const daily = { name: "dailyTotalRequests", window: "day", limit: 500 } as const;

test("each consulted bucket is an item of both fields, in seconds that are never too short", () => {
  const states = [state({}, { remaining: 17, resetMs: 41_001 }), state(daily, { remaining: 0, resetMs: 86_400_000 })];
  expect(rateLimitFields(decision(states))).toEqual({
    "RateLimit-Policy": '"global";q=20;w=60, "dailyTotalRequests";q=500;w=86400',
    RateLimit: '"global";r=17;t=42, "dailyTotalRequests";r=0;t=86400',
  });
});

test("a bucket counted under two identities is shown once, with the lower remaining", () => {
  const states = [
    state({}, { remaining: 17, resetMs: 60_000 }),
    state({ identity: "free:b" }, { remaining: 2, resetMs: 9_000 }),
  ];
  expect(rateLimitFields(decision(states)).RateLimit).toBe('"global";r=2;t=9');
  const equal = [state({}, { resetMs: 1_000 }), state({ identity: "free:b" }, { resetMs: 2_000 })];
  expect(rateLimitFields(decision(equal)).RateLimit).toBe('"global";r=0;t=1');
});

test("a refusal names the bucket with the longest wait, and Retry-After is that wait", () => {
  const states = [state({}, { fits: false, resetMs: 1_200 }), state(daily, { fits: false, resetMs: 3_600_000 })];
  const error = rateLimited(decision(states, false), { lane: "free", upgradeHint: "hint" });
  expect(error).toMatchObject({
    status: 429,
    headers: { "Retry-After": "3600" },
    body: { lane: "free", upgradeHint: "hint", bucket: "dailyTotalRequests", limit: 500, windowSeconds: 86_400 },
  });
});

test("the refusal of a request that can never fit suggests fewer calls, not waiting", () => {
  const error = rateLimited(
    decision([state({ name: "writeRpm", limit: 2, cost: 3 }, { fits: false, resetMs: 60_000 })], false),
    {
      lane: "free",
      upgradeHint: "hint",
    },
  );
  expect(error.message).toContain("send fewer calls in one request");
  expect(error.retryable).toBe(false);
});
