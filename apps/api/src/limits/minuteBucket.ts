import { type BucketState, type Charge, MINUTE_MS } from "./limiter";

const NONE = Number.POSITIVE_INFINITY;

/**
 * The admissions of an exact sliding minute. A request looks at all its buckets, and then settles them all without waiting in
 * between: what `look` found is kept until then.
 *
 * What most requests ask stands in the bucket itself: each object of a client among thousands is far away in memory, and the list of
 * its times is two.
 */
export class MinuteBucket {
  /** Times of admissions, oldest first; those before `#start` no longer counted at the latest of them. */
  readonly #times: number[] = [];
  #length = 0;
  #start = 0;
  /** The time at `#start`, and the latest. */
  #oldest = NONE;
  #newest = 0;
  /** As found: the clock's time, or that of the latest admission where the clock stepped back; and what counts by then. */
  #now = 0;
  #from = 0;
  #oldestFound = NONE;
  /** Until the charge fits; 0 where it does. */
  #waitMs = 0;

  /** Whether the charge fits at this time. */
  look({ limit, cost, enforced }: Charge, clockNow: number): boolean {
    const now = Math.max(clockNow, this.#newest);
    this.#now = now;
    this.#from = this.#start;
    this.#oldestFound = this.#oldest;
    if (this.#oldest <= now - MINUTE_MS) this.#passOver(now - MINUTE_MS);
    const asked = Math.max(1, cost);
    const mustLeave = this.#length - this.#from + asked - limit;
    this.#waitMs = 0;
    if (!enforced || mustLeave <= 0) return true;
    const lastToLeave = asked > limit ? clockNow : (this.#times[this.#from + mustLeave - 1] ?? clockNow);
    this.#waitMs = lastToLeave + MINUTE_MS - clockNow;
    return false;
  }

  /** Takes what is charged if the request was admitted, and tells how the bucket stands. */
  settle(charge: Charge, clockNow: number, admitted: boolean): BucketState {
    const { limit, cost } = charge;
    if (admitted && cost > 0) this.#take(cost);
    const remaining = Math.max(0, limit - (this.#length - this.#from));
    const fits = this.#waitMs === 0;
    const oldest = this.#oldestFound;
    const untilReset = oldest === NONE ? 0 : oldest + MINUTE_MS - clockNow;
    if (admitted && cost > 0) this.#forget();
    return { charge, remaining, fits, resetMs: fits ? untilReset : this.#waitMs };
  }

  /** Finds what is after a time. */
  #passOver(time: number): void {
    const times = this.#times;
    let from = this.#from;
    while (from < this.#length && (times[from] ?? NONE) <= time) from += 1;
    this.#from = from;
    this.#oldestFound = times[from] ?? NONE;
  }

  #take(cost: number): void {
    for (let taken = 0; taken < cost; taken += 1) this.#times.push(this.#now);
    this.#length += cost;
    this.#newest = this.#now;
    if (this.#oldestFound === NONE) this.#oldestFound = this.#now;
  }

  /** Lets go of what no longer counts, and moves the rest to the front seldom enough to cost next to nothing for any limit. */
  #forget(): void {
    this.#start = this.#from;
    this.#oldest = this.#oldestFound;
    if (this.#start < 16 || this.#start < this.#length / 2) return;
    this.#times.splice(0, this.#start);
    this.#length -= this.#start;
    this.#start = 0;
  }
}
