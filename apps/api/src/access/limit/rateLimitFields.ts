import { type BucketState, DAY_MS, type Demand, MINUTE_MS, type Taking } from "./limiter";

/** Length of a demand's window. */
export function windowSecondsOf({ window }: Demand): number {
  return (window === "minute" ? MINUTE_MS : DAY_MS) / 1000;
}

/** Whole seconds that are never too short. */
export function toSeconds(milliseconds: number): number {
  return Math.ceil(milliseconds / 1000);
}

/**
 * The fields `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers), an item for each bucket that was
 * consulted. `t` is when some of what was taken comes back; of a bucket that refused, when it admits the request.
 */
export function rateLimitFields({ states }: Taking): { policy: string; rateLimit: string } {
  const policies: string[] = [];
  const limits: string[] = [];
  for (const { demand, remaining, resetMs, waitMs } of tightestByName(states)) {
    const name = fieldName(demand.name);
    policies.push(`"${name}";q=${demand.limit};w=${windowSecondsOf(demand)}`);
    limits.push(`"${name}";r=${remaining};t=${toSeconds(waitMs > 0 ? waitMs : resetMs)}`);
  }
  return { policy: policies.join(", "), rateLimit: limits.join(", ") };
}

/** A bucket that is counted under two identities shows once, as the one with less left. */
function tightestByName(states: readonly BucketState[]): Iterable<BucketState> {
  const byName = new Map<string, BucketState>();
  for (const state of states) {
    const other = byName.get(state.demand.name);
    if (other === undefined || state.remaining < other.remaining) byName.set(state.demand.name, state);
  }
  return byName.values();
}

/** The catalog's name without the unit that `w` already tells: `globalRpm` is "global". */
function fieldName(limit: string): string {
  return limit.replace(/Rpm$/, "");
}
