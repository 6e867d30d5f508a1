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
  let policy = "";
  let rateLimit = "";
  for (let index = 0; index < states.length; index += 1) {
    const state = states[index];
    if (state === undefined || isHidden(state, states[index - 1], states[index + 1])) continue;
    const { demand, remaining, resetMs, waitMs } = state;
    const separator = policy === "" ? "" : ", ";
    const fixed = fixedPartsOf(demand);
    policy += separator + fixed.policy;
    rateLimit += `${separator}${fixed.name};r=${remaining};t=${toSeconds(waitMs > 0 ? waitMs : resetMs)}`;
  }
  return { policy, rateLimit };
}

type FixedParts = { name: string; policy: string };

/** By name and limit: as few as the settings have. */
const written = new Map<string, Map<number, FixedParts>>();

function fixedPartsOf(demand: Demand): FixedParts {
  const known = written.get(demand.name)?.get(demand.limit);
  if (known !== undefined) return known;
  const name = `"${fieldName(demand.name)}"`;
  const parts = { name, policy: `${name};q=${demand.limit};w=${windowSecondsOf(demand)}` };
  const ofName = written.get(demand.name) ?? new Map<number, FixedParts>();
  written.set(demand.name, ofName.set(demand.limit, parts));
  return parts;
}

/** A bucket that is counted under two identities stands twice in a row, and shows once: as the one with less left. */
function isHidden({ demand, remaining }: BucketState, before?: BucketState, after?: BucketState): boolean {
  if (before?.demand.name === demand.name && before.remaining <= remaining) return true;
  return after?.demand.name === demand.name && after.remaining < remaining;
}

/** The catalog's name without the unit that `w` already tells: `globalRpm` is "global". */
function fieldName(limit: string): string {
  return limit.endsWith("Rpm") ? limit.slice(0, -"Rpm".length) : limit;
}
