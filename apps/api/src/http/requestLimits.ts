import type { Lane, LaneLimits } from "@dueday/config/limits";
import type { Config } from "@dueday/config/parseConfig";
import type { Caller } from "../identity/clientIdentity";
import type { Demand, Limiter } from "../limits/limiter";
import { bucketLimits, type LimitName, limitWindows, mcpListings, upgradeHints } from "../limits/policy";
import { rateLimited } from "../limits/rateLimited";
import type { Bucket } from "../operation/defineOperation";
import { callerOf, type Exchange } from "./exchange";

/** What the limits read of an exchange, and their decision. */
type Limited = Pick<Exchange, "caller" | "decision" | "method" | "operation" | "path">;

/**
 * Takes one from each bucket of each call in a request, or nothing, and puts the decision into the exchange.
 *
 * @param listings MCP messages that count as `mcpListings`
 * @throws ServiceError RATE_LIMITED when one of them has too little left: then none is taken from.
 */
export type TakeBuckets = (exchange: Limited, calls: readonly Bucket[], listings?: number) => Promise<void>;

export function createTakeBuckets(
  limiter: Limiter,
  config: Pick<Config, "limits" | "addressShare" | "developerKeysEnabled" | "developerPortalUrl">,
): TakeBuckets {
  const hints = upgradeHints(config);
  // Nearly all requests are one call: their charges are the same for all clients of a lane.
  const single = { free: chargesByBucket(config.limits.free), developer: chargesByBucket(config.limits.developer) };
  const chargesOf = (lane: Lane, calls: readonly Bucket[]) => {
    const [only, second] = calls;
    return only !== undefined && second === undefined ? single[lane][only] : sumCharges(config.limits[lane], calls);
  };
  return async (exchange, calls, listings = 0) => {
    const caller = callerOf(exchange);
    const { lane, identities, client, trusted, consulted = [] } = caller;
    const charges = chargesOf(lane, calls);
    const demands = sharesAddress(caller)
      ? withAddress(charges, { identities, address: addressIdentity(client), share: config.addressShare })
      : demandsOf(charges, identities);
    if (listings > 0) demands.push({ ...mcpListings, identity: `client:${client}`, cost: listings, enforced: true });
    const asked = trusted ? demands.map((demand) => ({ ...demand, enforced: false })) : demands;
    const { admitted, states } = await limiter.take(asked);
    const decision = { admitted, states: [...consulted, ...states] };
    exchange.decision = decision;
    if (admitted) return;
    const isOfAddress = states.some(({ fits, demand }) => !fits && demand.identity === addressIdentity(client));
    const hint = isOfAddress ? ADDRESS_HINT : hints[lane];
    throw rateLimited(decision, { lane, upgradeHint: isPolledRead(exchange) ? `${hint}. ${EVENTS_HINT}` : hint });
  };
}

/** Whether the request is a read over REST that clients repeat to learn of changes. */
function isPolledRead({ method, operation, path }: Limited): boolean {
  return method === "GET" && operation !== null && path !== "/events";
}

/** Whether the caller's requests also count in the limits of its address. On the free lane, the address already is its identity. */
function sharesAddress({ lane, hasOwnLimits }: Caller): boolean {
  return lane === "developer" && hasOwnLimits !== true;
}

/** The identity whose buckets all keys and sessions of an address take from. */
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
  for (const charge of charges) {
    for (const identity of identities) {
      demands.push({ ...charge, identity });
      if (charge.window === "day") break;
    }
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
