import { type BucketState, type Charge, DAY_MS } from "./limiter";

/** The admissions of a UTC day. A request looks and then settles, as at a `MinuteBucket`. */
export class DayBucket {
  /** The day of the latest admission, and what was taken in it. */
  #day = 0;
  #count = 0;
  /** As found: the clock's day, or that of the latest admission where the clock stepped back. */
  #today = 0;
  #used = 0;
  #fits = true;

  /** Whether the charge fits at this time. */
  look({ limit, cost, enforced }: Charge, clockNow: number): boolean {
    this.#today = Math.max(Math.floor(clockNow / DAY_MS), this.#day);
    this.#used = this.#day === this.#today ? this.#count : 0;
    this.#fits = !enforced || this.#used + Math.max(1, cost) <= limit;
    return this.#fits;
  }

  /** Takes what is charged if the request was admitted, and tells how the bucket stands. */
  settle(charge: Charge, clockNow: number, admitted: boolean): BucketState {
    const { limit, cost } = charge;
    if (admitted && cost > 0) {
      this.#used += cost;
      this.#day = this.#today;
      this.#count = this.#used;
    }
    const untilMidnight = (this.#today + 1) * DAY_MS - clockNow;
    return {
      charge,
      remaining: Math.max(0, limit - this.#used),
      fits: this.#fits,
      resetMs: this.#used === 0 && this.#fits ? 0 : untilMidnight,
    };
  }
}
