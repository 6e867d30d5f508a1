import { createRecentMap, type RecentMap } from "../identity/recentMap";
import { DayBucket } from "./dayBucket";
import {
  type BucketState,
  type Charge,
  DAY_MS,
  type Limiter,
  SLACK_MS,
  type Taker,
  type Taking,
  takeOnce,
} from "./limiter";
import { MinuteBucket } from "./minuteBucket";

export type MemoryLimiterOptions = {
  /** Unix milliseconds. */
  clock: () => number;
  /** Identities kept at most; beyond it, those longest unused are forgotten. Default 100,000. */
  maxIdentities?: number;
};

/** The limiter of one process. `size` is the number of identities it remembers. */
export type MemoryLimiter = Limiter & { readonly size: number };

type AnyBucket = MinuteBucket | DayBucket;
/** The buckets of one identity, by the name of their limit. */
type Buckets = Record<string, AnyBucket>;
type Identities = RecentMap<Buckets>;

/** Buckets in this process: exact for one process, and the stand-in where Redis is away. */
export function memoryLimiter({ clock, maxIdentities = 100_000 }: MemoryLimiterOptions): MemoryLimiter {
  const identities: Identities = createRecentMap({ keptMs: DAY_MS + SLACK_MS, maxEntries: maxIdentities });
  const takerOf: Limiter["takerOf"] = (charges, names) => new MemoryTaker(identities, clock, charges, names);
  return {
    get size() {
      return identities.size;
    },
    takerOf,
    take: (demands) => takeOnce(takerOf, demands),
  };
}

/** A charge, and the bucket that it is about. */
type Seat = { charge: Charge; bucket: AnyBucket; next: Seat | null };

/**
 * Holds on to its buckets as long as no identity is moved on or forgotten. They hang on a chain, whose links lie side by side, and not
 * in a list, which is two objects far from each other.
 */
class MemoryTaker implements Taker {
  readonly #identities: Identities;
  readonly #clock: () => number;
  readonly #charges: readonly Charge[];
  readonly #names: readonly string[];
  #first: Seat | null = null;
  #generation = -1;

  constructor(identities: Identities, clock: () => number, charges: readonly Charge[], names: readonly string[]) {
    this.#identities = identities;
    this.#clock = clock;
    this.#charges = charges;
    this.#names = names;
  }

  take<T>(goOn: (taking: Taking) => T | Promise<T>): T | Promise<T> {
    return goOn(this.#decide());
  }

  #decide(): Taking {
    const now = this.#clock();
    this.#identities.tick(now);
    if (this.#generation !== this.#identities.generation) this.#find();
    let admitted = true;
    for (let seat = this.#first; seat !== null; seat = seat.next) {
      if (!seat.bucket.look(seat.charge, now)) admitted = false;
    }
    const states: BucketState[] = [];
    for (let seat = this.#first; seat !== null; seat = seat.next) {
      states.push(seat.bucket.settle(seat.charge, now, admitted));
    }
    return { admitted, charges: this.#charges, states };
  }

  #find(): void {
    this.#generation = this.#identities.generation;
    this.#first = this.#charges.reduceRight<Seat | null>((next, charge, index) => {
      const buckets = this.#bucketsOf(this.#names[index] ?? "");
      const bucket = buckets[charge.name] ?? (charge.window === "minute" ? new MinuteBucket() : new DayBucket());
      buckets[charge.name] = bucket;
      return { charge, bucket, next };
    }, null);
  }

  #bucketsOf(identity: string): Buckets {
    const known = this.#identities.get(identity);
    if (known !== undefined) return known;
    const buckets: Buckets = {};
    this.#identities.set(identity, buckets);
    return buckets;
  }
}
