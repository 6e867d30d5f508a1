import type { Hex } from "viem";
import { lesser } from "../amounts/lesser";
import { toTokenUnits } from "../amounts/tokenUnits";
import { nextDueDay } from "../calendar/nextDueDay";
import type { Holding, RemitSubscription } from "../remit/state";
import { INFINITE_ALLOWANCE } from "../remit/tokenLedger";
import { type FailureCause, LONGEST_PERIOD_DAYS, MOST_COVERED_PAYMENTS } from "./coverage";

/** A plan from `fromDay` on, with the number of payments that are covered before. */
export type OwnPlan = { subscription: RemitSubscription; fromDay: number; coveredPayments: number };

export type OwnCoverage = {
  coveredPayments: number;
  failsDay: number | null;
  cause: FailureCause | null;
  /** Whether allowance and balance are enough for the first of these charges. */
  first: { allowanceCovers: boolean; balanceCovers: boolean };
};

/** The most charges that are walked: a weekly and a yearly plan together take some 6,400, and no account has thousands of plans. */
const MOST_CHARGES = 20_000;

/** The shortest period in days, by frequency. */
const SHORTEST_PERIOD_DAYS = [7, 28, 90, 365] as const;

/**
 * The charges of one account in one token by date, then id, until each plan has failed or has 120 covered payments, at
 * most 20,000. The protocol's own order, days that its paging misses, and income are ignored.
 *
 * @param holding what the account holds before the first of them, token units
 */
export function walkOwnCharges(
  plans: readonly OwnPlan[],
  { balance, allowance }: Holding,
  decimals: number,
): Map<Hex, OwnCoverage> {
  const results = new Map<Hex, OwnCoverage>();
  const queue = plans.map(({ subscription, fromDay, coveredPayments }) => ({
    id: subscription.id,
    subscription,
    day: nextDueDay(subscription.frequency, subscription.dueDay, fromDay),
    units: toTokenUnits(subscription.amount, decimals),
    coveredPayments,
  }));
  queue.sort(byDateThenId);
  if (lesser(balance, allowance) >= mostNeeded(queue)) {
    const first = { allowanceCovers: true, balanceCovers: true };
    const all = { coveredPayments: MOST_COVERED_PAYMENTS, failsDay: null, cause: null, first };
    return new Map(queue.map(({ id }) => [id, all]));
  }
  let open = queue.filter(({ coveredPayments }) => coveredPayments < MOST_COVERED_PAYMENTS).length;
  for (let charge = 0; open > 0 && charge < MOST_CHARGES; charge++) {
    const plan = queue.shift();
    if (plan === undefined) break;
    const { id, units, day, subscription } = plan;
    const allowanceCovers = allowance >= units;
    const balanceCovers = balance >= units;
    const first = results.get(id)?.first ?? { allowanceCovers, balanceCovers };
    if (!allowanceCovers || !balanceCovers) {
      const cause = allowanceCovers ? "balance" : "allowance";
      const isCounted = plan.coveredPayments < MOST_COVERED_PAYMENTS;
      if (isCounted) open--;
      const { coveredPayments } = plan;
      results.set(id, { coveredPayments, failsDay: isCounted ? day : null, cause: isCounted ? cause : null, first });
      continue;
    }
    if (allowance !== INFINITE_ALLOWANCE) allowance -= units;
    balance -= units;
    if (plan.coveredPayments < MOST_COVERED_PAYMENTS && ++plan.coveredPayments === MOST_COVERED_PAYMENTS) open--;
    results.set(id, { coveredPayments: plan.coveredPayments, failsDay: null, cause: null, first });
    plan.day = nextDueDay(subscription.frequency, subscription.dueDay, day + 1);
    const later = queue.findIndex((other) => byDateThenId(plan, other) < 0);
    queue.splice(later === -1 ? queue.length : later, 0, plan);
  }
  return results;
}

/** Token units that cover every charge until the plan with the longest period has had 120. Where an account has them, no charge has to be walked. */
function mostNeeded(plans: readonly { subscription: RemitSubscription; units: bigint }[]): bigint {
  const days =
    MOST_COVERED_PAYMENTS *
    Math.max(0, ...plans.map(({ subscription }) => LONGEST_PERIOD_DAYS[subscription.frequency]));
  const chargesOf = ({ frequency }: RemitSubscription) => BigInt(Math.ceil(days / SHORTEST_PERIOD_DAYS[frequency]) + 1);
  return plans.reduce((sum, { subscription, units }) => sum + units * chargesOf(subscription), 0n);
}

function byDateThenId(a: { day: number; id: Hex }, b: { day: number; id: Hex }): number {
  return a.day - b.day || (a.id < b.id ? -1 : 1);
}
