import type { Address, Hex } from "viem";
import { toTokenUnits } from "../amounts/tokenUnits";
import type { PlannedPayment } from "../remit/plan";
import type { Holding, RemitState, RemitSubscription } from "../remit/state";
import { type RemitsEnding, stepRemits } from "../remit/stepRemits";
import { WorkingState } from "../remit/workingState";
import { runInSlices } from "../runInSlices";
import { activePlans, type WalkedPlan } from "./activePlans";
import { type FailureCause, MOST_COVERED_PAYMENTS, NOTHING_COMING, type PlanCoverage, WALK_DAYS } from "./coverage";
import { type OwnCoverage, walkOwnCharges } from "./walkOwnCharges";

/** A charge of the walk that fails, and so ends the plan of its subscriber. */
export type WalkedFailure = {
  id: Hex;
  subscriber: Address;
  dayNumber: number;
  cause: FailureCause;
  /** Token units of allowance or balance, whichever is the cause, that are missing. */
  missing: bigint;
};

/** The coverage of every plan of a contract at one block. */
export type CoverageWalk = {
  /** The state that the walk started from. */
  state: RemitState;
  /** The state was not that of the whole contract, so nothing of the walk is exact. */
  estimated: boolean;
  /** Charges up to this day number are exact: what comes later is estimated. */
  throughDay: number;
  /**
   * The coverage of one subscriber's plan; a plan that does not exist, or is not charged (cancelled, or its token
   * paused), has no coming charges.
   */
  coverageOf(id: Hex, subscriber: Address): PlanCoverage;
  /** Every failure of the walk, in the order of charges. */
  failures: readonly WalkedFailure[];
  /** The plans that an account pays in the state, cancelled ones left out. */
  plansOf(account: Address): readonly RemitSubscription[];
};

export type WalkOptions = {
  /** The state is not that of the whole contract, so nothing of it is exact. */
  estimated?: boolean;
};

/**
 * Models remit(), called on each day, over the open days and the next 400: all plans take from the same balances and allowances, in the
 * contract's own order, income is counted, and a plan ends where it fails. `state` has to hold the due lists of these days. After these
 * days, or from the day on which remit() stops, coverage is computed from the account's own charges. Runs in slices of some milliseconds.
 */
export async function walkCoverage(state: RemitState, { estimated = false }: WalkOptions = {}): Promise<CoverageWalk> {
  const begin = { ...state, today: state.today + WALK_DAYS };
  let working = new WorkingState(begin);
  const plans = activePlans(state);
  const failures: WalkedFailure[] = [];
  let lastClosed = state.nextUncheckedDay - 1;
  let calls = 0;
  const ending = await runInSlices(stepRemits(working, {}), ({ outcomes, closesDays }) => {
    for (const payment of outcomes) addPayment(plans, failures, payment);
    lastClosed = closesDays.at(-1) ?? lastClosed;
    calls++;
  });
  if (ending.end === "blocked") {
    // The call that reverts has changed the state, and the chain undoes it: the calls before it are made again.
    working = new WorkingState(begin);
    await runInSlices(stepRemits(working, {}).take(calls), () => {});
  }
  working.releaseSets();
  const throughDay = lastDayOf(ending, state, lastClosed);
  const beyond = new Map<string, ReadonlyMap<Hex, OwnCoverage>>();

  function beyondWalk(account: Address, token: Address): ReadonlyMap<Hex, OwnCoverage> {
    const key = `${account} ${token}`;
    const known = beyond.get(key);
    if (known !== undefined) return known;
    const going = (plans.get(account) ?? []).flatMap(({ id, coveredPayments, lastDay, failsDay }) => {
      const subscription = state.subscriptions.get(id);
      if (subscription?.token !== token || failsDay !== null) return [];
      // The walk can end within a day, after it has charged some of that day's plans.
      const fromDay = Math.max(throughDay, lastDay ?? 0) + 1;
      return [{ subscription, fromDay, coveredPayments }];
    });
    const ledger = working.ledger(token);
    const own = walkOwnCharges(going, ledger.holdingOf(account), ledger.token.decimals);
    beyond.set(key, own);
    return own;
  }

  return {
    state,
    estimated,
    throughDay,
    failures,
    plansOf: (account) => (plans.get(account) ?? []).flatMap(({ id }) => state.subscriptions.get(id) ?? []),
    coverageOf(id, subscriber) {
      const plan = plans.get(subscriber)?.find((each) => each.id === id);
      const token = state.subscriptions.get(id)?.token;
      if (plan === undefined || token === undefined || state.tokens.get(token)?.paused === true)
        return uncharged(state, id, subscriber);
      const { id: _, lastDay, ...walked } = plan;
      if (walked.failsDay !== null || walked.coveredPayments === MOST_COVERED_PAYMENTS) return { ...walked, estimated };
      const { first, ...later } = beyondWalk(subscriber, token).get(id) ?? { first: null };
      return { ...walked, ...later, ...(lastDay === null && first), estimated: true };
    },
  };
}

function addPayment(
  plans: ReadonlyMap<Address, WalkedPlan[]>,
  failures: WalkedFailure[],
  { id, subscriber, dayNumber, outcome, lack }: PlannedPayment,
): void {
  const plan = plans.get(subscriber)?.find((each) => each.id === id);
  if (plan === undefined || outcome === "skipped" || outcome === "missed") return;
  if (plan.lastDay === null) {
    plan.allowanceCovers = (lack?.allowance ?? 0n) === 0n;
    plan.balanceCovers = (lack?.balance ?? 0n) === 0n;
  }
  plan.lastDay = dayNumber;
  if (lack === null) {
    plan.coveredPayments = Math.min(plan.coveredPayments + 1, MOST_COVERED_PAYMENTS);
    return;
  }
  const cause = lack.allowance > 0n ? "allowance" : "balance";
  plan.failsDay = dayNumber;
  plan.cause = cause;
  failures.push({ id, subscriber, dayNumber, cause, missing: lack[cause] });
}

/** The last day that the walk has closed. Where remit() stops, it is before the end of the 400 days. */
function lastDayOf({ end }: RemitsEnding, { today, nextUncheckedDay }: RemitState, lastClosed: number): number {
  return end === "caught_up" ? Math.max(today + WALK_DAYS, nextUncheckedDay - 1) : lastClosed;
}

/** The coverage of a plan without coming charges: whether the present allowance and balance are enough for one. */
function uncharged({ subscriptions, tokens }: RemitState, id: Hex, subscriber: Address): PlanCoverage {
  const subscription = subscriptions.get(id);
  const token = subscription && tokens.get(subscription.token);
  const holding: Holding | undefined = token?.holdings.get(subscriber);
  const units = token && toTokenUnits(subscription.amount, token.decimals);
  const covers = (held: bigint | undefined) => held !== undefined && units !== undefined && held >= units;
  return { ...NOTHING_COMING, allowanceCovers: covers(holding?.allowance), balanceCovers: covers(holding?.balance) };
}
