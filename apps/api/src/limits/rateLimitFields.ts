import { type BucketState, DAY_MS, type Decision, type LimitWindow, MINUTE_MS } from "./limiter";

/** Length of a window. */
export function windowSecondsOf(window: LimitWindow): number {
  return (window === "minute" ? MINUTE_MS : DAY_MS) / 1000;
}

/** Whole seconds, rounded up. */
export function toSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/**
 * The fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), an item for each bucket that was consulted.
 * `t` is the time until the first admission in the bucket expires; for a bucket that refused, until it admits the request.
 */
export function rateLimitFields({ states }: Decision): { "RateLimit-Policy": string; RateLimit: string } {
  let policy = "";
  let rateLimit = "";
  for (let index = 0; index < states.length; index += 1) {
    const state = states[index];
    if (state === undefined || isHidden(state, states[index - 1], states[index + 1])) continue;
    const { demand, remaining, resetMs } = state;
    const separator = policy === "" ? "" : ", ";
    const name = fieldName(demand.name);
    policy += `${separator}"${name}";q=${demand.limit};w=${windowSecondsOf(demand.window)}`;
    rateLimit += `${separator}"${name}";r=${remaining};t=${toSeconds(resetMs)}`;
  }
  return { "RateLimit-Policy": policy, RateLimit: rateLimit };
}

/** A bucket under two identities has two states in a row; the one with less left is shown. */
function isHidden({ demand, remaining }: BucketState, before?: BucketState, after?: BucketState): boolean {
  if (before?.demand.name === demand.name && before.remaining <= remaining) return true;
  return after?.demand.name === demand.name && after.remaining < remaining;
}

/** The catalog's name without the unit, which is in `w`: `globalRpm` is "global". */
function fieldName(limit: string): string {
  return limit.endsWith("Rpm") ? limit.slice(0, -"Rpm".length) : limit;
}
