import type { Lane, LaneLimits } from "@dueday/config/limits";
import type { Config } from "@dueday/config/parseConfig";
import type { ServiceError } from "@dueday/core/errors";
import type { Caller } from "../identity/clientIdentity";
import type { Decision, Demand, Limiter } from "../limits/limiter";
import { bucketLimits, type LimitName, limitWindows, mcpListings, upgradeHints } from "../limits/policy";
import { rateLimited } from "../limits/rateLimited";
import type { Bucket } from "../operation/defineOperation";
import { callerOf, type Exchange } from "./exchange";

/** The limits of the lanes on requests. */
export type RequestLimits = {
  /**
   * Takes one from each bucket of each call in a request, or nothing.
   *
   * @param listings MCP messages that count as `mcpListings`
   */
  take(caller: Caller, calls: readonly Bucket[], listings?: number): Promise<Decision>;
  /**
   * The 429 for a request that was not admitted.
   *
   * @param isPoll the request is one that clients repeat to learn of changes
   */
  refusal(caller: Caller, decision: Decision, isPoll?: boolean): ServiceError;
};

export function createRequestLimits(
  limiter: Limiter,
  config: Pick<Config, "limits" | "addressShare" | "developerKeysEnabled" | "developerPortalUrl">,
): RequestLimits {
  const hints = upgradeHints(config);
  // Nearly all requests are one call: their charges are the same for all clients of a lane.
  const single = { free: chargesByBucket(config.limits.free), developer: chargesByBucket(config.limits.developer) };
  const chargesOf = (lane: Lane, calls: readonly Bucket[]) => {
    const [only, second] = calls;
    return only !== undefined && second === undefined ? single[lane][only] : sumCharges(config.limits[lane], calls);
  };
  return {
    async take(caller, calls, listings = 0) {
      const { lane, identities, client, trusted } = caller;
      const charges = chargesOf(lane, calls);
      const demands = sharesAddress(caller)
        ? withAddress(charges, { identities, address: addressIdentity(client), share: config.addressShare })
        : demandsOf(charges, identities);
      if (listings > 0) demands.push({ ...mcpListings, identity: `client:${client}`, cost: listings, enforced: true });
      return await limiter.take(trusted ? demands.map((demand) => ({ ...demand, enforced: false })) : demands);
    },
    refusal({ lane, client }, decision, isPoll = false) {
      const isOfAddress = decision.states.some(
        ({ fits, demand }) => !fits && demand.identity === addressIdentity(client),
      );
      const hint = isOfAddress ? ADDRESS_HINT : hints[lane];
      return rateLimited(decision, { lane, upgradeHint: isPoll ? `${hint}. ${EVENTS_HINT}` : hint });
    },
  };
}

/**
 * Takes a request's buckets, and puts the decision into the exchange.
 *
 * @param listings MCP messages that count as `mcpListings`
 * @throws ServiceError RATE_LIMITED when one of them is empty: then none is taken from.
 */
export type TakeBuckets = (exchange: Exchange, buckets: readonly Bucket[], listings?: number) => Promise<void>;

export function createTakeBuckets(limits: RequestLimits): TakeBuckets {
  return async (exchange, buckets, listings) => {
    const caller = callerOf(exchange);
    const decision = await limits.take(caller, buckets, listings);
    const { consulted } = caller;
    exchange.decision =
      consulted === undefined ? decision : { ...decision, states: [...consulted, ...decision.states] };
    if (!decision.admitted) throw limits.refusal(caller, exchange.decision, isPolledRead(exchange));
  };
}

/** Whether the request is a read over REST that clients repeat to learn of changes. */
function isPolledRead({ method, operation, path }: Exchange): boolean {
  return method === "GET" && operation !== null && path !== "/events";
}

/** Whether its requests count in the limits of its address, too: on the free lane the address is all that it has. */
function sharesAddress({ lane, hasOwnLimits }: Caller): boolean {
  return lane === "developer" && hasOwnLimits !== true;
}

/** Whose buckets all keys and sessions of an address take from. */
function addressIdentity(client: string): string {
  return `address:${client}`;
}

const ADDRESS_HINT =
  "All developer keys and portal sessions of your address together have used this limit: ask the operator of this service for a key with separate limits";
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

/** The demands of a caller, each followed by that of its address. */
function withAddress(
  charges: readonly Charge[],
  { identities, address, share }: { identities: readonly [string, ...string[]]; address: string; share: number },
): Demand[] {
  return charges.flatMap((charge) => [
    ...demandsOf([charge], identities),
    { ...charge, identity: address, limit: charge.limit * share },
  ]);
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
