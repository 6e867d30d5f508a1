import type { LaneLimits } from "@dueday/config/limits";
import type { Bucket } from "../../operation";
import type { Demand, LimitWindow } from "./limiter";

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

/** Whose buckets a request takes from. */
export type Counted = {
  /**
   * All that a request with these calls asks of its buckets: one of each for each call. A request of which every call is
   * `unlimited` is counted and never refused.
   */
  demandsOf(calls: readonly Bucket[]): readonly Demand[];
};

export type CountedOptions = {
  identity: string;
  /** A second identity of the same client whose minute buckets still count. */
  previousIdentity: string | null;
  limits: LaneLimits;
};

/** One client or key as it is counted. What a single call asks for is worked out once: most requests are one call. */
export function createCounted(options: CountedOptions): Counted {
  const single: Partial<Record<Bucket, readonly Demand[]>> = {};
  return {
    demandsOf(calls) {
      const [call] = calls;
      if (call === undefined || calls.length > 1) return workOut(options, calls);
      single[call] ??= workOut(options, calls);
      return single[call];
    },
  };
}

function workOut({ identity, previousIdentity, limits }: CountedOptions, calls: readonly Bucket[]): Demand[] {
  const costs = new Map<LimitName, number>();
  for (const call of calls) for (const name of bucketLimits[call]) costs.set(name, (costs.get(name) ?? 0) + 1);
  const enforced = calls.some((call) => call !== "unlimited");
  const demands: Demand[] = [];
  for (const [name, cost] of costs) {
    const demand = { name, identity, limit: limits[name], window: limitWindows[name], cost, enforced };
    demands.push(demand);
    if (previousIdentity !== null && demand.window === "minute")
      demands.push({ ...demand, identity: previousIdentity });
  }
  return demands;
}
