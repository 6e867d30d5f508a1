import type { LaneLimits } from "@dueday/config/limits";
import type { Bucket } from "../../operation";
import { chargesOf } from "./chargesOf";
import type { Charge, Limiter, Taker, Taking } from "./limiter";

export type CountedOptions = {
  limiter: Limiter;
  identity: string;
  /** A second identity of the same client whose minute buckets still count. */
  previousIdentity: string | null;
  limits: LaneLimits;
};

/** Charges of a single call, the same objects for all who are on a lane: they stay in the processor's cache. */
const single = new WeakMap<LaneLimits, Partial<Record<Bucket, Charge[]>>>();

/** Whose buckets requests take from: those of one client, or of one key. */
export class Counted {
  readonly #options: CountedOptions;
  /** Most requests are one call: where that finds its buckets is worked out once. */
  readonly #takers: Partial<Record<Bucket, Taker>> = {};

  constructor(options: CountedOptions) {
    this.#options = options;
  }

  /** Takes all that a request with these calls is charged, or nothing. */
  take(calls: readonly Bucket[]): Taking | Promise<Taking> {
    const [call] = calls;
    if (call === undefined || calls.length > 1) {
      return takerOf(this.#options, chargesOf(this.#options.limits, calls)).take();
    }
    const taker = this.#takers[call] ?? takerOf(this.#options, singleCharges(this.#options.limits, call));
    this.#takers[call] = taker;
    return taker.take();
  }
}

function singleCharges(limits: LaneLimits, call: Bucket): Charge[] {
  const charges = single.get(limits) ?? {};
  single.set(limits, charges);
  charges[call] ??= chargesOf(limits, [call]);
  return charges[call];
}

function takerOf({ limiter, identity, previousIdentity }: CountedOptions, charges: Charge[]): Taker {
  const demands = charges.flatMap((charge) =>
    previousIdentity === null || charge.window === "day"
      ? [{ charge, identity }]
      : [
          { charge, identity },
          { charge, identity: previousIdentity },
        ],
  );
  return limiter.takerOf(
    demands.map((demand) => demand.charge),
    demands.map((demand) => demand.identity),
  );
}
