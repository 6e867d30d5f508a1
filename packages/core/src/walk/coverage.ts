import type { Frequency } from "../calendar/frequency";

/** Days after today that the joint walk covers: every plan falls due in them, a yearly one with weeks to spare. */
export const WALK_DAYS = 400;

/** The most payments of one plan that are counted. */
export const MOST_COVERED_PAYMENTS = 120;

/** The longest period of each frequency. */
export const LONGEST_PERIOD_DAYS = [7, 31, 92, 366] as const;

/** Days after today in which a failing payment puts a plan at risk: one whole period. */
export function atRiskDays(frequency: Frequency): number {
  return LONGEST_PERIOD_DAYS[frequency];
}

/** What a payment that fails has too little of. */
export type FailureCause = "allowance" | "balance";

/** The coverage of one subscriber's plan, computed together with all other plans that share its allowance and balance. */
export type PlanCoverage = {
  /** Coming charges that pass before the first that fails, at most 120. */
  coveredPayments: number;
  /** Day number of the first charge that fails; null where none is foreseen. */
  failsDay: number | null;
  cause: FailureCause | null;
  /** Whether the allowance is enough when the plan's next charge is made. */
  allowanceCovers: boolean;
  balanceCovers: boolean;
  /** Whether a part is computed from the account's own charges alone, without income and without the protocol's order. */
  estimated: boolean;
};

/** The coverage of a plan without coming charges, such as one that has ended. */
export const NOTHING_COMING: PlanCoverage = {
  coveredPayments: 0,
  failsDay: null,
  cause: null,
  allowanceCovers: false,
  balanceCovers: false,
  estimated: false,
};
