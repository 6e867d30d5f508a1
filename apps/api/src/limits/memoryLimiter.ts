import { endOfTurn } from "./endOfTurn";
import { type BucketState, DAY_MS, type Demand, type Limiter, MINUTE_MS, SLACK_MS } from "./limiter";

export type MemoryLimiterOptions = {
  /** Unix milliseconds. */
  clock: () => number;
  /** Most identities; beyond it, those longest unused are dropped. Default 100,000. */
  maxIdentities?: number;
};

/** The limiter of one process. */
export type MemoryLimiter = Limiter & {
  /** Number of identities in memory. */
  readonly size: number;
};

/** One bucket. Only `take` changes it. */
type Bucket = {
  /** Milliseconds until the demand fits; 0 where it does. */
  waitMs(demand: Demand, now: number): number;
  take(demand: Demand, now: number): void;
  /** Admissions that count, and milliseconds until the first of them expires. */
  usage(now: number): { used: number; resetMs: number };
};

/** The buckets of one identity. */
type Buckets = { usedAt: number; byName: Partial<Record<string, Bucket>> };

/** How long the buckets of an unused identity are kept: longer than anything in them counts. */
const KEPT_MS = DAY_MS + SLACK_MS;
const PURGE_EVERY_MS = 600_000;

/** Counts in this process: exact for one process, and the substitute where Redis is unavailable. */
export function memoryLimiter({ clock, maxIdentities = 100_000 }: MemoryLimiterOptions): MemoryLimiter {
  const identities = new Map<string, Buckets>();
  let purgedAt = clock();

  /** An LRU map would add 1 us to each request, 4 % of a cached read. */
  function bucketsOf(identity: string): Buckets {
    const known = identities.get(identity);
    if (known !== undefined && identities.size <= maxIdentities / 2) return known;
    // A map is in the order in which its keys were set. The order is needed only when identities may have to be dropped soon.
    identities.delete(identity);
    if (identities.size >= maxIdentities) dropLongestUnused();
    const buckets = known ?? { usedAt: 0, byName: {} };
    identities.set(identity, buckets);
    return buckets;
  }

  /** Drops a tenth of all identities at once: a map takes long to find its first key when many keys before it were deleted. */
  function dropLongestUnused(): void {
    let excess = Math.ceil(maxIdentities / 10);
    for (const identity of identities.keys()) {
      identities.delete(identity);
      excess -= 1;
      if (excess === 0) return;
    }
  }

  function dropUnused(now: number): void {
    for (const [identity, { usedAt }] of identities.entries()) {
      if (Math.abs(now - usedAt) > KEPT_MS) identities.delete(identity);
    }
  }

  return {
    async take(demands) {
      // As with Redis, which decides on the requests of a turn together.
      await endOfTurn();
      const now = clock();
      if (Math.abs(now - purgedAt) >= PURGE_EVERY_MS) {
        dropUnused(now);
        purgedAt = now;
      }
      let buckets: Buckets | null = null;
      const looks = demands.map((demand, index) => {
        const { identity, name, window, enforced } = demand;
        if (buckets === null || identity !== demands[index - 1]?.identity) buckets = bucketsOf(identity);
        buckets.usedAt = now;
        buckets.byName[name] ??= window === "minute" ? new MinuteBucket() : new DayBucket();
        const bucket = buckets.byName[name];
        return { demand, bucket, waitMs: enforced ? bucket.waitMs(demand, now) : 0 };
      });
      const admitted = looks.every(({ waitMs }) => waitMs === 0);
      const states = looks.map(({ demand, bucket, waitMs }): BucketState => {
        if (admitted && demand.cost !== 0) bucket.take(demand, now);
        const { used, resetMs } = bucket.usage(now);
        const fits = waitMs === 0;
        return { demand, remaining: Math.max(0, demand.limit - used), fits, resetMs: fits ? resetMs : waitMs };
      });
      return { admitted, states };
    },
    get size() {
      return identities.size;
    },
  };
}

class MinuteBucket implements Bucket {
  /** When its admissions were, oldest first. */
  readonly #times: number[] = [];

  waitMs({ limit, cost }: Demand, now: number): number {
    const wanted = Math.max(1, cost);
    if (wanted > limit) return MINUTE_MS;
    const expired = this.#countExpired(now);
    const mustExpire = this.#times.length - expired + wanted - limit;
    if (mustExpire <= 0) return 0;
    return (this.#times[expired + mustExpire - 1] ?? now) + MINUTE_MS - now;
  }

  take({ limit, cost }: Demand, now: number): void {
    const times = this.#times;
    const expired = this.#countExpired(now);
    if (expired > 0) times.splice(0, expired);
    if (cost < 0) times.splice(Math.max(0, times.length + cost));
    const time = Math.max(now, times.at(-1) ?? 0);
    for (let taken = 0; taken < cost; taken += 1) times.push(time);
    // Where the limit is not enforced, only the latest times decide.
    if (times.length > limit) times.splice(0, times.length - limit);
  }

  usage(now: number) {
    const expired = this.#countExpired(now);
    const first = this.#times[expired];
    return { used: this.#times.length - expired, resetMs: first === undefined ? 0 : first + MINUTE_MS - now };
  }

  #countExpired(now: number): number {
    const times = this.#times;
    const newest = times.at(-1) ?? 0;
    if (newest > now + SLACK_MS) return times.length;
    const last = Math.max(now, newest) - MINUTE_MS;
    if (times[0] !== undefined && times[0] > last) return 0;
    const expired = times.findIndex((time) => time > last);
    return expired === -1 ? times.length : expired;
  }
}

class DayBucket implements Bucket {
  /** The day of the latest admission, and the number of that day's admissions. */
  #day = 0;
  #count = 0;

  waitMs({ limit, cost }: Demand, now: number): number {
    const { day, used } = this.#at(now);
    return used + Math.max(1, cost) <= limit ? 0 : (day + 1) * DAY_MS - now;
  }

  take({ cost }: Demand, now: number): void {
    const { day, used } = this.#at(now);
    this.#day = day;
    this.#count = Math.max(0, used + cost);
  }

  usage(now: number) {
    const { day, used } = this.#at(now);
    return { used, resetMs: used === 0 ? 0 : (day + 1) * DAY_MS - now };
  }

  /** The clock's day, or the day of the latest admission where the clock stepped back across midnight. */
  #at(now: number): { day: number; used: number } {
    const today = Math.floor(now / DAY_MS);
    const isCurrent = this.#day >= today && this.#day <= Math.floor((now + SLACK_MS) / DAY_MS);
    return isCurrent ? { day: this.#day, used: this.#count } : { day: today, used: 0 };
  }
}
