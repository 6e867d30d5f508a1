import { type BucketState, type Charge, MINUTE_MS } from "./limiter";

/**
 * The admissions of an exact sliding minute. A request looks at all its buckets, and then settles them all without waiting in
 * between: what `look` found is kept until then.
 */
export class MinuteBucket {
  /** Times of admissions, oldest first; those before `#start` no longer counted at the latest of them. */
  readonly #times: number[] = [];
  #start = 0;
  /** As found: the clock's time, or that of the latest admission where the clock stepped back; and what counts by then. */
  #now = 0;
  #from = 0;
  #waitMs = 0;

  /** Whether the charge fits at this time. */
  look({ limit, cost, enforced }: Charge, clockNow: number): boolean {
    const times = this.#times;
    const now = Math.max(clockNow, times[times.length - 1] ?? 0);
    let from = this.#start;
    while (from < times.length && (times[from] ?? now) <= now - MINUTE_MS) from += 1;
    this.#now = now;
    this.#from = from;
    const asked = Math.max(1, cost);
    const mustLeave = times.length - from + asked - limit;
    const fits = !enforced || mustLeave <= 0;
    const lastToLeave = fits || asked > limit ? clockNow : (times[from + mustLeave - 1] ?? clockNow);
    this.#waitMs = fits ? 0 : lastToLeave + MINUTE_MS - clockNow;
    return fits;
  }

  /** Takes what is charged if the request was admitted, and tells how the bucket stands. */
  settle(charge: Charge, clockNow: number, admitted: boolean): BucketState {
    const times = this.#times;
    const { limit, cost } = charge;
    if (admitted) for (let taken = 0; taken < cost; taken += 1) times.push(this.#now);
    const remaining = Math.max(0, limit - (times.length - this.#from));
    const oldest = times[this.#from];
    const resetMs = oldest === undefined ? 0 : oldest + MINUTE_MS - clockNow;
    if (admitted && cost > 0) this.#forget();
    return { charge, remaining, resetMs, waitMs: this.#waitMs };
  }

  /** Lets go of what no longer counts, and moves the rest to the front seldom enough to cost next to nothing for any limit. */
  #forget(): void {
    this.#start = this.#from;
    if (this.#start < 16 || this.#start < this.#times.length / 2) return;
    this.#times.splice(0, this.#start);
    this.#start = 0;
  }
}
