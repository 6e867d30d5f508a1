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
export function rateLimitFields({ charges, states }: Taking): { policy: string; rateLimit: string } {
  const { policy, items } = fixedPartsOf(charges);
  let rateLimit = "";
  for (let index = 0; index < states.length; index += 1) {
    const state = states[index];
    if (state === undefined || isHidden(state, states[index - 1], states[index + 1])) continue;
    const { remaining, resetMs } = state;
    const separator = rateLimit === "" ? "" : ", ";
    rateLimit += `${separator}${items[index]}${remaining};t=${toSeconds(resetMs)}`;
  }
  return { policy, rateLimit };
}

/** What is the same for all who are charged the same; `items` are the beginnings of those of RateLimit, one for each charge. */
type FixedParts = { policy: string; items: readonly string[] };

/** Charges of single calls are the same list for all clients of a lane. */
const written = new WeakMap<readonly Charge[], FixedParts>();

function fixedPartsOf(charges: readonly Charge[]): FixedParts {
  const known = written.get(charges);
  if (known !== undefined) return known;
  const names = charges.map(({ name }) => `"${fieldName(name)}"`);
  const policies = charges.map((charge, index) => `${names[index]};q=${charge.limit};w=${windowSecondsOf(charge)}`);
  const policy = policies.filter((item, index) => item !== policies[index - 1]).join(", ");
  const parts = { policy, items: names.map((name) => `${name};r=`) };
  written.set(charges, parts);
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
