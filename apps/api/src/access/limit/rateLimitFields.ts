import { type BucketState, type Charge, DAY_MS, MINUTE_MS, type Taking } from "./limiter";

/** Length of a charge's window. */
export function windowSecondsOf({ window }: Charge): number {
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
    const { charge, remaining, resetMs, waitMs } = state;
    const fixed = fixedPartsOf(charge);
    const separator = policy === "" ? "" : ", ";
    policy += separator + fixed.policy;
    rateLimit += `${separator}${fixed.name};r=${remaining};t=${toSeconds(waitMs > 0 ? waitMs : resetMs)}`;
  }
  return { policy, rateLimit };
}

type FixedParts = { name: string; policy: string };

/** Charges of single calls are the same objects for all clients of a lane. */
const written = new WeakMap<Charge, FixedParts>();

function fixedPartsOf(charge: Charge): FixedParts {
  const known = written.get(charge);
  if (known !== undefined) return known;
  const name = `"${fieldName(charge.name)}"`;
  const parts = { name, policy: `${name};q=${charge.limit};w=${windowSecondsOf(charge)}` };
  written.set(charge, parts);
  return parts;
}

/** A bucket that is counted under two identities stands twice in a row, and shows once: as the one with less left. */
function isHidden({ charge, remaining }: BucketState, before?: BucketState, after?: BucketState): boolean {
  if (before?.charge.name === charge.name && before.remaining <= remaining) return true;
  return after?.charge.name === charge.name && after.remaining < remaining;
}

/** The catalog's name without the unit that `w` already tells: `globalRpm` is "global". */
function fieldName(limit: string): string {
  return limit.endsWith("Rpm") ? limit.slice(0, -"Rpm".length) : limit;
}
