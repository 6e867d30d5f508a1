import type { Lane, LaneLimits } from "@dueday/config/limits";
import type { Config } from "@dueday/config/parseConfig";
import type { ServiceError } from "@dueday/core/errors";
import type { Caller } from "../identity/clientIdentity";
import type { Decision, Demand, Limiter } from "./limiter";
import { type Bucket, bucketLimits, type LimitName, limitWindows, mcpListings, upgradeHints } from "./policy";
import { rateLimited } from "./rateLimited";

/** The limits of the lanes on requests. */
export type RequestLimits = {
  /**
   * Takes one from each bucket of each call in a request, or nothing.
   *
   * @param listings MCP messages that count as `mcpListings`
   */
  take(caller: Caller, calls: readonly Bucket[], listings?: number): Decision | Promise<Decision>;
  /**
   * The 429 for a request that was not admitted.
   *
   * @param isPoll the request is one that clients repeat to learn of changes
   */
  refusal(caller: Caller, decision: Decision, isPoll?: boolean): ServiceError;
};

export function createRequestLimits(
  limiter: Limiter,
  config: Pick<Config, "limits" | "developerKeysEnabled" | "developerPortalUrl">,
): RequestLimits {
  const hints = upgradeHints(config);
  // Nearly all requests are one call: their charges are the same for all clients of a lane.
  const single = { free: chargesByBucket(config.limits.free), developer: chargesByBucket(config.limits.developer) };
  const chargesOf = (lane: Lane, calls: readonly Bucket[]) => {
    const [only, second] = calls;
    return only !== undefined && second === undefined ? single[lane][only] : sumCharges(config.limits[lane], calls);
  };
  return {
    take({ lane, identities, client, trusted }, calls, listings = 0) {
      const demands = demandsOf(chargesOf(lane, calls), identities);
      if (listings > 0) demands.push({ ...mcpListings, identity: `client:${client}`, cost: listings, enforced: true });
      return limiter.take(trusted ? demands.map((demand) => ({ ...demand, enforced: false })) : demands);
    },
    refusal: ({ lane }, decision, isPoll = false) =>
      rateLimited(decision, { lane, upgradeHint: isPoll ? `${hints[lane]}. ${EVENTS_HINT}` : hints[lane] }),
  };
}

const EVENTS_HINT =
  "Instead of polling, follow GET /events (Accept: text/event-stream): one request receives every change as it happens";

/** A demand without its identity. */
type Charge = Omit<Demand, "identity">;

/**
 * What these calls take: one from each of their buckets for each call. Where every call is `unlimited`, they are counted and never
 * refused.
 */
export function sumCharges(limits: LaneLimits, calls: readonly Bucket[]): Charge[] {
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

/** Demands of one limit under several identities follow each other. */
function demandsOf(charges: readonly Charge[], identities: readonly [string, ...string[]]): Demand[] {
  const demands: Demand[] = [];
  for (const { name, limit, window, cost, enforced } of charges) {
    for (const identity of window === "minute" ? identities : identities.slice(0, 1))
      demands.push({ identity, name, limit, window, cost, enforced });
  }
  return demands;
}

function chargesByBucket(limits: LaneLimits): Readonly<Record<Bucket, readonly Charge[]>> {
  const charges = (bucket: Bucket) => sumCharges(limits, [bucket]);
  return {
    unlimited: charges("unlimited"),
    rejected: charges("rejected"),
    cheap: charges("cheap"),
    expensive: charges("expensive"),
    history: charges("history"),
    write: charges("write"),
  };
}
