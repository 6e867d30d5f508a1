import type { ModelledPlan, PlanEnd, PlannedTransaction } from "./plan";
import { remit } from "./remit";
import { openCall, type RemitCall } from "./remitCall";
import { RemitRevert } from "./remitRevert";
import type { RemitState } from "./state";
import { WorkingState } from "./workingState";

export type PlanRemitOptions = {
  /** Most transactions to plan; the plan ends with `limit` where there is more. No limit by default. */
  maxTransactions?: number;
  /** Return the events of each transaction, too. */
  withEvents?: boolean;
};

/**
 * What remit(), called again and again by `state.caller` until it reverts, would do (protocol parts 5 and 7). Balances,
 * allowances, fee balances and sets run down from one transaction to the next. `state` is not changed.
 *
 * A call is modelled whatever gas it needs: a long stretch of empty days is one transaction here, even where no block
 * could hold it. Throws RangeError where the state lacks a subscription or a token that it names.
 */
export function planRemit(state: RemitState, options: PlanRemitOptions = {}): ModelledPlan {
  const { maxTransactions = Number.POSITIVE_INFINITY, withEvents = false } = options;
  const working = new WorkingState(state);
  const calls: RemitCall[] = [];
  for (;;) {
    const call = openCall(working, calls.length, withEvents);
    try {
      remit(call);
    } catch (error) {
      if (!(error instanceof RemitRevert)) throw error;
      const { revert, culprit } = error;
      if (culprit === undefined) return toPlan(calls, "caught_up");
      const blocked = { ...toPlan(calls, "blocked"), revert, blockedBy: { ...culprit, revert } };
      return call.events === null ? blocked : { ...blocked, revertedEvents: call.events };
    }
    if (call.payments === 0 && call.closesDays.length === 0) return toPlan(calls, "no_progress");
    if (calls.length >= maxTransactions) return toPlan(calls, "limit");
    calls.push(call);
  }
}

function toPlan(calls: RemitCall[], end: PlanEnd): ModelledPlan {
  return {
    source: "modelled",
    complete: end !== "limit",
    end,
    transactions: calls.map(summarize),
    payments: calls.flatMap((call) => call.outcomes),
    missed: calls.flatMap((call) => call.missed),
    unpaidFees: calls.flatMap((call) => call.unpaidFees),
    events: calls.flatMap((call) => (call.events === null ? [] : [call.events])),
  };
}

function summarize(call: RemitCall): PlannedTransaction {
  const { closesDays, day, payments, failures, receipts } = call;
  const callerFees = [...receipts].map(([token, units]) => ({ token, units }));
  return { closesDays, day, payments, failures, callerFees };
}
