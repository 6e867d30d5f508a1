import { type BucketState, type Demand, type Limiter, returning } from "../limits/limiter";
import type { FixedLimit } from "../limits/policy";
import { type Refused, rateLimited } from "../limits/rateLimited";
import type { Exchange } from "./exchange";

/**
 * Takes from further limits what `demands` states, in addition to the buckets of the request's route, and adds the
 * states of these limits to the decision of the exchange.
 *
 * @returns a function that gives back what the route took, for a request that is refused after it was counted
 * @throws ServiceError RATE_LIMITED where one of the limits refuses; then what the route took is given back
 */
export async function takeBeside(
  limiter: Limiter,
  exchange: Pick<Exchange, "decision">,
  demands: readonly Demand[],
  refused: Refused,
): Promise<() => Promise<void>> {
  const ofRoute = exchange.decision?.states ?? [];
  const { admitted, states } = await limiter.take(demands);
  const record = (route: readonly BucketState[]) => (exchange.decision = { admitted, states: [...route, ...states] });
  const returnRoute = async () => record((await limiter.take(returning(ofRoute))).states);
  if (!admitted) throw rateLimited(await returnRoute(), refused);
  record(ofRoute);
  return async () => void (await returnRoute());
}

/** Gives back what the route of a request took, for a request that is refused for another reason than its buckets. */
export async function giveBackRoute(limiter: Limiter, exchange: Pick<Exchange, "decision">): Promise<void> {
  const { decision } = exchange;
  if (decision === null) return;
  const { states } = await limiter.take(returning(decision.states));
  exchange.decision = { ...decision, states };
}

/** The demand for one admission of a limit that is the same on every lane. */
export function demandOf(limit: FixedLimit, identity: string): Demand {
  return { ...limit, identity, cost: 1, enforced: true };
}
