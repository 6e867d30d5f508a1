import { ServiceError } from "@dueday/core/errors";
import type { BucketState, Taking } from "./limiter";
import { rateLimitFields, toSeconds, windowSecondsOf } from "./rateLimitFields";

/** Who was refused, and what can be done for more. */
export type Refused = { lane: string; upgradeHint: string };

/** The 429 for a request that was not admitted: it names the bucket that will take longest, and when all of them admit it. */
export function rateLimited(taking: Taking, { lane, upgradeHint }: Refused): ServiceError {
  const slowest = taking.states.reduce((a, b) => (waitOf(b) > waitOf(a) ? b : a));
  const { name, limit, cost } = slowest.charge;
  const { policy, rateLimit } = rateLimitFields(taking);
  const seconds = Math.max(1, toSeconds(waitOf(slowest)));
  return new ServiceError("RATE_LIMITED", sentence(slowest, seconds), {
    headers: { "Retry-After": String(seconds), "RateLimit-Policy": policy, RateLimit: rateLimit },
    body: { lane, upgradeHint, bucket: name, limit, windowSeconds: windowSecondsOf(slowest.charge) },
    details: { bucket: name, cost },
    retryable: cost <= limit,
  });
}

function waitOf({ fits, resetMs }: BucketState): number {
  return fits ? 0 : resetMs;
}

function sentence({ charge }: BucketState, seconds: number): string {
  const { name, limit, cost, window } = charge;
  const rule = `${name} allows ${limit} in ${window === "minute" ? "any 60 seconds" : "a UTC day"}`;
  if (cost > limit) return `${rule}, fewer than the ${cost} calls of this request: send fewer in one request`;
  return `${rule}: try again in ${seconds} s`;
}
