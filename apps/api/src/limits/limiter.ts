/** An exact sliding minute, or a UTC day. */
export type LimitWindow = "minute" | "day";

export const MINUTE_MS = 60_000;
export const DAY_MS = 86_400_000;
/** How far a clock may step back without a bucket being forgotten too early. */
export const SLACK_MS = 60_000;

/** What a request asks of a limit, whoever makes it. Several calls in one request raise its cost. */
export type Charge = {
  /** The limit's name in the catalog, e.g. `globalRpm`. */
  name: string;
  limit: number;
  window: LimitWindow;
  /** How many admissions are taken. 0 takes none, and asks whether one would fit. */
  cost: number;
  /** False where the request is counted but never refused. */
  enforced: boolean;
};

/** What a request asks of one bucket; it names each bucket once. */
export type Demand = Charge & {
  /** Whose bucket: a lane with a key id or a hashed address, never the address itself. */
  identity: string;
};

/** One bucket after the decision. */
export type BucketState = {
  charge: Charge;
  remaining: number;
  /** False where it refused: it is enforced, and has no room for the demand. */
  fits: boolean;
  /** Milliseconds: where it refused, until it has room; else until some of what was taken comes back, 0 when nothing is taken. */
  resetMs: number;
};

export type Taking = {
  admitted: boolean;
  /** What was asked, and at the same place how its bucket stands. */
  charges: readonly Charge[];
  states: BucketState[];
};

/** Takes from the same buckets again and again: what can be found out beforehand has been. */
export type Taker = {
  /**
   * Takes, and goes on with what was found: at once where the buckets are at hand, later where they are elsewhere. To be told what
   * follows saves a promise for each request.
   */
  take<T>(goOn: (taking: Taking) => T | Promise<T>): T | Promise<T>;
};

/** Goes on without buckets that can't be asked, for this reason. */
export type Instead = <T>(reason: unknown, goOn: (taking: Taking) => T | Promise<T>) => T | Promise<T>;

/**
 * Takes from all buckets of a request in one step, or from none.
 *
 * - A minute bucket remembers the times of its admissions: none of the 60,000 ms before any moment holds more than `limit`.
 * - A day bucket counts within one UTC day.
 * - A clock that steps back, by `SLACK_MS` at most, gives nothing free: a bucket goes on from the latest time it has seen.
 * - A cost above the limit never fits; it is told to wait a whole minute, or until midnight.
 */
export type Limiter = {
  /** What `take` does for the demands that are made of each charge and the identity at its place. */
  takerOf(charges: readonly Charge[], identities: readonly string[]): Taker;
  take(demands: readonly Demand[]): Taking | Promise<Taking>;
};

/** A limiter whose store may fail, or not answer in time: it rejects then, or goes on with what it was given instead. */
export type SharedLimiter = Omit<Limiter, "takerOf"> & {
  takerOf(charges: readonly Charge[], identities: readonly string[], instead?: Instead): Taker;
};

/** `Limiter.take`, for who makes takers. */
export function takeOnce(takerOf: Limiter["takerOf"], demands: readonly Demand[]): Taking | Promise<Taking> {
  const identities = demands.map(({ identity }) => identity);
  return takerOf(demands, identities).take((taking) => taking);
}
