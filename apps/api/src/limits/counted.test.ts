import { expect, test } from "bun:test";
import { parseConfig } from "@dueday/config/parseConfig";
import { Counted } from "./counted";
import type { Taking } from "./limiter";
import { memoryLimiter } from "./memoryLimiter";

const limits = { ...parseConfig({}).limits.free, globalRpm: 3, expensiveRpm: 2 };

const itself = (taking: Taking) => taking;

function counted(previousIdentity: string | null = null, limiter = memoryLimiter({ clock: () => 0 })) {
  return { limiter, free: new Counted({ limiter, identity: "free:a", previousIdentity, limits }) };
}

test("calls of all buckets, alone or several in one request, are counted in the same buckets", async () => {
  const { free } = counted();
  await free.take(["cheap"], itself);
  await free.take(["unlimited", "cheap"], itself);
  await free.take(["expensive"], itself);
  const refused = await free.take(["cheap"], itself);
  expect(refused.admitted).toBe(false);
  expect(refused.states.map(({ charge, remaining }) => [charge.name, remaining])).toEqual([
    ["globalRpm", 0],
    ["dailyTotalRequests", limits.dailyTotalRequests - 4],
  ]);
});

test("clients of a lane have the same charges, as one list: a batch for Redis says it once", async () => {
  for (const previousIdentity of [null, "free:before"]) {
    const takings = await Promise.all([1, 2].map(() => counted(previousIdentity).free.take(["cheap"], itself)));
    expect(takings[0]?.charges).toBe(takings[1]?.charges);
  }
});

test("a second identity of the same client counts in the minute buckets alone", async () => {
  const { limiter, free } = counted("free:before");
  const { states } = await free.take(["cheap"], itself);
  expect(states.map(({ charge }) => charge.name)).toEqual(["globalRpm", "globalRpm", "dailyTotalRequests"]);
  const before = new Counted({ limiter, identity: "free:before", previousIdentity: null, limits });
  const seen = await before.take(["cheap"], itself);
  expect(seen.states.map(({ remaining }) => remaining)).toEqual([1, limits.dailyTotalRequests - 1]);
});
