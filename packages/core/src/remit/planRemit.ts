import { runInSlices } from "../runInSlices";
import type { MeteredGas } from "./gasMeter";
import type { Plan, PlanDetails, PlannedTransaction } from "./plan";
import type { RemitCall } from "./remitCall";
import type { RemitEvent } from "./remitEvent";
import type { RemitState } from "./state";
import { type RemitsEnding, type StepOptions, stepRemits } from "./stepRemits";
import { WorkingState } from "./workingState";

export type PlanRemitOptions = {
  /** Most transactions to plan; the plan ends with `limit` where there are more. No limit by default. */
  maxTransactions?: number;
  /** Number of first transactions whose gas is metered; none by default. */
  meteredTransactions?: number;
};

/** A plan by the pure model. */
export type ModelledPlan = Plan & {
  source: "modelled";
  details: PlanDetails;
  /** Gas of the first transactions, for a token of usual cost, not yet scaled by a measurement. */
  metered: MeteredGas[];
};

/**
 * What remit(), called again and again by `state.caller` until it reverts, would do (protocol parts 5 and 7). Each transaction
 * starts with the balances, allowances, fee balances and sets that the one before has left. `state` is not changed.
 *
 * A call is modelled whatever gas it needs: a long stretch of empty days is one transaction here, even where no block could hold
 * it. Throws RangeError where the state lacks a subscription or a token that it names.
 */
export function planRemit(state: RemitState, options: PlanRemitOptions = {}): ModelledPlan {
  const { maxTransactions, meteredTransactions } = options;
  return toPlan(state, callUntilEnd(state, { maxCalls: maxTransactions, meteredTransactions }));
}

/** `planRemit` to the end, in slices of some milliseconds: a long backlog does not keep other requests waiting. */
export async function planRemitInSlices(
  state: RemitState,
  { meteredTransactions }: Pick<PlanRemitOptions, "meteredTransactions"> = {},
): Promise<ModelledPlan> {
  return planInSlices(new WorkingState(state), { meteredTransactions });
}

/**
 * Continues a plan that ended caught up. The result has the transactions and payments of `plan` too, but missed
 * subscriptions and unpaid fees only of the later days. `state` is that of `plan` on a later day, with the due lists up
 * to it. Null where the plan has been continued before, or ended otherwise.
 */
export async function continuePlan(plan: Plan, state: RemitState): Promise<ModelledPlan | null> {
  const { details, end, transactions } = plan;
  const working = end === "caught_up" ? details?.takeWorking?.() : undefined;
  if (!details || !working) return null;
  const later = await planInSlices(working.on(state), { firstTransaction: transactions.length });
  return {
    ...later,
    transactions: [...transactions, ...later.transactions],
    details: { ...later.details, payments: details.payments.concat(later.details.payments) },
  };
}

async function planInSlices(working: WorkingState, options: StepOptions): Promise<ModelledPlan> {
  const calls: RemitCall[] = [];
  const ending = await runInSlices(stepRemits(working, options), (call) => {
    calls.push(call);
  });
  const plan = toPlan(working.origin, { calls, ...ending });
  return { ...plan, details: { ...plan.details, takeWorking: givenOnce(working) } };
}

/** Outside of `planInSlices`, because a closure in that function would keep its calls in memory. */
function givenOnce(working: WorkingState): () => WorkingState | null {
  let left: WorkingState | null = working;
  return () => {
    const taken = left;
    left = null;
    return taken;
  };
}

function toPlan(state: RemitState, { calls, end, failed }: Calls): ModelledPlan {
  return {
    source: "modelled",
    complete: end !== "limit",
    end,
    ...(failed && { revert: failed.revert }),
    transactions: calls.map(summarize),
    metered: calls.flatMap(({ meter }) => meter?.finish() ?? []),
    details: {
      state,
      payments: calls.flatMap((call) => call.outcomes),
      missed: calls.flatMap((call) => call.missed),
      unpaidFees: calls.flatMap((call) => call.unpaidFees),
      ...(failed && { blockedBy: { ...failed.culprit, revert: failed.revert } }),
    },
  };
}

/**
 * The events of each call of the plan, at most of the first `maxTransactions`, in the order of emission. Where the plan
 * ends blocked, the last element has the events that the last call emits before it reverts.
 */
export function traceRemits(state: RemitState, { maxTransactions }: PlanRemitOptions = {}): RemitEvent[][] {
  const { calls, failed } = callUntilEnd(state, { maxCalls: maxTransactions, withEvents: true });
  return [...calls, ...(failed ? [failed.call] : [])].map(({ events }) => events ?? []);
}

type Calls = RemitsEnding & {
  /** Those that succeed and change something. */
  calls: RemitCall[];
};

function callUntilEnd(state: RemitState, options: StepOptions): Calls {
  const calls: RemitCall[] = [];
  const steps = stepRemits(new WorkingState(state), options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return { calls, ...step.value };
    calls.push(step.value);
  }
}

function summarize({ closesDays, day, payments, failures, receipts }: RemitCall): PlannedTransaction {
  const callerFees = [...receipts].map(([token, units]) => ({ token, units }));
  return { closesDays, day, payments, failures, callerFees, gas: null };
}
