import type { Lane } from "@dueday/config/limits";
import { ServiceError } from "@dueday/core/errors";
import type { BucketState, Decision } from "./limiter";
import { rateLimitFields, toSeconds, windowSecondsOf } from "./rateLimitFields";

/** Who was refused, and how to get more; `period` where the limit is not counted in a minute or a UTC day. */
export type Refused = { lane: Lane | "none"; upgradeHint: string; period?: string };

/** The 429 for a request that was not admitted. It names the bucket with the longest wait, after which all buckets admit the request. */
export function rateLimited(decision: Decision, { lane, upgradeHint, period }: Refused): ServiceError {
  const slowest = decision.states.reduce((a, b) => (waitOf(b) > waitOf(a) ? b : a));
  const { name, limit, cost, window } = slowest.demand;
  const seconds = Math.max(1, toSeconds(waitOf(slowest)));
  return new ServiceError("RATE_LIMITED", sentence(slowest, seconds, period), {
    headers: { "Retry-After": String(seconds), ...rateLimitFields(decision) },
    body: { lane, upgradeHint, bucket: name, limit, windowSeconds: windowSecondsOf(window) },
    retryable: cost <= limit,
  });
}

function waitOf({ fits, resetMs }: BucketState): number {
  return fits ? 0 : resetMs;
}

const PERIODS = { minute: "any 60 seconds", day: "a UTC day" };

function sentence({ demand }: BucketState, seconds: number, period = PERIODS[demand.window]): string {
  const { name, limit, cost } = demand;
  const rule = `${name} allows ${limit} in ${period}`;
  if (cost > limit) return `${rule}, fewer than the ${cost} calls of this request: send fewer calls in one request`;
  return `${rule}: try again in ${seconds} s`;
}
