import { saturate } from "./saturate";

export type CoveredPeriodsParameters = {
  /** An allowance or a balance, token units. */
  units: bigint;
  /** What goes off first: the initial charge, token units. */
  charge: bigint;
  /** Amount of one period, token units. */
  amount: bigint;
};

/** Whole periods that `units` pays for after `charge`, cut to 2^53 - 1; an amount of 0 is paid for ever. */
export function coveredPeriods({ units, charge, amount }: CoveredPeriodsParameters): number {
  if (units < charge) return 0;
  return amount === 0n ? Number.MAX_SAFE_INTEGER : saturate((units - charge) / amount);
}
