/** An exact sliding minute, or a UTC day. */
export type LimitWindow = "minute" | "day";

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** How far a clock may step back before buckets are emptied. */
export const SLACK_MS = 60_000;

/** What a request takes from one bucket. */
export type Demand = {
  /** Whose bucket: a kind and an id, e.g. `developer:<key id>` or `free:<hash of the address>`, never the address itself. */
  identity: string;
  /** Which of its buckets: the limit's name, e.g. `globalRpm`. A request names each bucket once. */
  name: string;
  limit: number;
  window: LimitWindow;
  /** How many admissions are taken. 0 takes none, and checks whether one would fit; a negative number returns as many, the latest first. */
  cost: number;
  /** False where requests are counted and never refused. */
  enforced: boolean;
};

/** A bucket after the decision. */
export type BucketState = {
  demand: Demand;
  remaining: number;
  /** False where the bucket refused: it is enforced, and has no room for the demand. */
  fits: boolean;
  /** Milliseconds: where it refused, until it has room; else until the first admission in it expires, 0 when it is empty. */
  resetMs: number;
};

export type Decision = {
  admitted: boolean;
  /** One for each demand, in their order. */
  states: BucketState[];
};

/**
 * Takes from all buckets of a request in one step, or from none.
 *
 * - A minute bucket stores the times of its admissions: each span of 60,000 ms has at most `limit` of them.
 * - A day bucket counts within one UTC day.
 * - Where the clock steps back by `SLACK_MS` at most, a bucket goes on from the latest time it has seen; further back, it is empty.
 * - A cost above the limit never fits; its wait is a whole minute, or until midnight.
 */
export type Limiter = {
  take(demands: readonly Demand[]): Promise<Decision>;
};

/** The demands that return what these took. */
export function returning(states: readonly Pick<BucketState, "demand">[]): Demand[] {
  return states.map(({ demand }) => ({ ...demand, cost: -demand.cost, enforced: false }));
}
