import type { LaneLimits } from "@dueday/config/limits";
import type { Bucket } from "../operation/defineOperation";
import { chargesOf } from "./chargesOf";
import type { Charge, Limiter, Taker, Taking } from "./limiter";

export type CountedOptions = {
  limiter: Limiter;
  identity: string;
  /** A second identity of the same client whose minute buckets still count. */
  previousIdentity: string | null;
  limits: LaneLimits;
};

/**
 * Whose buckets requests take from: those of one client, or of one key. Most requests are one call: where that finds its buckets is
 * worked out once, and kept in the object itself, since each object of a client among thousands is far away in memory.
 */
export class Counted implements Record<Bucket, Taker | null> {
  unlimited: Taker | null = null;
  cheap: Taker | null = null;
  expensive: Taker | null = null;
  history: Taker | null = null;
  write: Taker | null = null;
  readonly #options: CountedOptions;

  constructor(options: CountedOptions) {
    this.#options = options;
  }

  /** Takes all that a request with these calls is charged, or nothing, and goes on. */
  take<T>(calls: readonly Bucket[], goOn: (taking: Taking) => T | Promise<T>): T | Promise<T> {
    const call = calls[0];
    if (call === undefined || calls.length > 1) {
      return takerOf(this.#options, allCharges(this.#options, calls)).take(goOn);
    }
    return (this[call] ?? this.#makeTaker(call)).take(goOn);
  }

  #makeTaker(call: Bucket): Taker {
    const taker = takerOf(this.#options, singleCharges(this.#options, call));
    this[call] = taker;
    return taker;
  }
}

/**
 * Charges of a single call, by lane: one list for all clients. It stays in the processor's cache, and a batch for Redis says it once.
 */
const single = new WeakMap<LaneLimits, Map<string, readonly Charge[]>>();

function singleCharges({ limits, previousIdentity }: CountedOptions, call: Bucket): readonly Charge[] {
  const known = single.get(limits) ?? new Map<string, readonly Charge[]>();
  single.set(limits, known);
  const key = previousIdentity === null ? call : `${call} twice`;
  const charges = known.get(key) ?? allCharges({ limits, previousIdentity }, [call]);
  known.set(key, charges);
  return charges;
}

/** Where a second identity counts too, each charge of a minute stands twice in a row. */
function allCharges(
  { limits, previousIdentity }: Pick<CountedOptions, "limits" | "previousIdentity">,
  calls: readonly Bucket[],
): readonly Charge[] {
  const charges = chargesOf(limits, calls);
  if (previousIdentity === null) return charges;
  return charges.flatMap((charge) => (charge.window === "minute" ? [charge, charge] : [charge]));
}

function takerOf({ limiter, identity, previousIdentity }: CountedOptions, charges: readonly Charge[]): Taker {
  const identities = charges.map((charge, index) =>
    charge === charges[index - 1] ? (previousIdentity ?? identity) : identity,
  );
  return limiter.takerOf(charges, identities);
}
