import type { LaneLimits } from "@dueday/config/limits";
import type { Bucket } from "../operation/defineOperation";
import type { Charge, LimitWindow } from "./limiter";

export type LimitName = keyof LaneLimits;

/** The window of each limit of the catalog. */
export const limitWindows: Readonly<Record<LimitName, LimitWindow>> = {
  globalRpm: "minute",
  expensiveRpm: "minute",
  subgraphDaily: "day",
  writeRpm: "minute",
  writeDaily: "day",
  dailyTotalRequests: "day",
};

/** What a call takes one of, by the bucket of its operation (shapes, "Limits"). */
export const bucketLimits: Readonly<Record<Bucket, readonly LimitName[]>> = {
  unlimited: ["dailyTotalRequests"],
  cheap: ["globalRpm", "dailyTotalRequests"],
  expensive: ["globalRpm", "expensiveRpm", "dailyTotalRequests"],
  history: ["globalRpm", "expensiveRpm", "subgraphDaily", "dailyTotalRequests"],
  write: ["writeRpm", "writeDaily", "dailyTotalRequests"],
};

/**
 * All that a request with these calls is charged: one of each bucket for each call. A request of which every call is `unlimited`
 * is counted and never refused.
 */
export function chargesOf(limits: LaneLimits, calls: readonly Bucket[]): Charge[] {
  const costs = new Map<LimitName, number>();
  for (const call of calls) for (const name of bucketLimits[call]) costs.set(name, (costs.get(name) ?? 0) + 1);
  const enforced = calls.some((call) => call !== "unlimited");
  return Array.from(costs, ([name, cost]) => ({
    name,
    limit: limits[name],
    window: limitWindows[name],
    cost,
    enforced,
  }));
}
