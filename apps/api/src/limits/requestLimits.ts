import type { Lane, LaneLimits } from "@dueday/config/limits";
import type { Config } from "@dueday/config/parseConfig";
import type { ServiceError } from "@dueday/core/errors";
import type { Decision, Demand, Limiter } from "./limiter";
import { type Bucket, bucketLimits, type LimitName, limitWindows, mcpListings, upgradeHints } from "./policy";
import { rateLimited } from "./rateLimited";

/** Who is counted, and at which figures. */
export type Counted = {
  lane: Lane;
  /** The day's hash of the client's address. */
  client: string;
  /** Minute buckets count under all of them, day buckets under the first. */
  identities: readonly [string, ...string[]];
};

/** The limits of the lanes on requests. */
export type RequestLimits = {
  /**
   * Takes one from each bucket of each call in a request, or nothing.
   *
   * @param listings MCP messages that count as `mcpListings`
   */
  take(who: Counted, calls: readonly Bucket[], listings?: number): Decision | Promise<Decision>;
  /** The 429 for a request that was not admitted. */
  refusal(who: Counted, decision: Decision): ServiceError;
};

export function createRequestLimits(
  limiter: Limiter,
  config: Pick<Config, "limits" | "developerKeysEnabled" | "developerPortalUrl">,
): RequestLimits {
  const hints = upgradeHints(config);
  return {
    take({ lane, identities, client }, calls, listings = 0) {
      const demands = demandsOf(config.limits[lane], identities, calls);
      if (listings > 0) demands.push({ ...mcpListings, identity: `client:${client}`, cost: listings, enforced: true });
      return limiter.take(demands);
    },
    refusal: ({ lane }, decision) => rateLimited(decision, { lane, upgradeHint: hints[lane] }),
  };
}

/**
 * What a request with these calls takes: one from each of their buckets for each call. A request of which every call is `unlimited` is
 * counted and never refused. Demands of one limit under several identities follow each other.
 */
export function demandsOf(
  limits: LaneLimits,
  identities: readonly [string, ...string[]],
  calls: readonly Bucket[],
): Demand[] {
  const costs = new Map<LimitName, number>();
  for (const call of calls) for (const name of bucketLimits[call]) costs.set(name, (costs.get(name) ?? 0) + 1);
  const enforced = calls.some((call) => call !== "unlimited");
  return Array.from(costs).flatMap(([name, cost]) => {
    const window = limitWindows[name];
    const counted = window === "minute" ? identities : [identities[0]];
    return counted.map((identity) => ({ name, identity, limit: limits[name], window, cost, enforced }));
  });
}
