import type { Revert } from "../reverts/revert";
import type { MeteredGas } from "./gasMeter";
import type { Plan, PlanDetails, PlanEnd, PlannedTransaction } from "./plan";
import { remit } from "./remit";
import { openCall, type RemitCall } from "./remitCall";
import type { RemitEvent } from "./remitEvent";
import { type Culprit, RemitRevert } from "./remitRevert";
import type { RemitState } from "./state";
import { WorkingState } from "./workingState";

export type PlanRemitOptions = {
  /** Most transactions to plan; the plan ends with `limit` where there are more. No limit by default. */
  maxTransactions?: number;
  /** Transactions from the first on whose gas is metered; none by default. */
  meteredTransactions?: number;
};

/** A plan by the pure model. */
export type ModelledPlan = Plan & {
  source: "modelled";
  details: PlanDetails;
  /** Of the first transactions; for a token of usual cost, before any measurement. */
  metered: MeteredGas[];
};

/**
 * What remit(), called again and again by `state.caller` until it reverts, would do (protocol parts 5 and 7). Balances,
 * allowances, fee balances and sets run down from one transaction to the next. `state` is not changed.
 *
 * A call is modelled whatever gas it needs: a long stretch of empty days is one transaction here, even where no block
 * could hold it. Throws RangeError where the state lacks a subscription or a token that it names.
 */
export function planRemit(state: RemitState, options: PlanRemitOptions = {}): ModelledPlan {
  const { maxTransactions, meteredTransactions } = options;
  return toPlan(state, callUntilEnd(state, { maxCalls: maxTransactions, meteredTransactions, withEvents: false }));
}

/** How long the model runs before other work of the process has its turn. */
const SLICE_MS = 10;

/** `planRemit` to the end, in slices of some milliseconds: a long backlog does not keep other requests waiting. */
export async function planRemitInSlices(
  state: RemitState,
  { meteredTransactions }: Pick<PlanRemitOptions, "meteredTransactions"> = {},
): Promise<ModelledPlan> {
  const steps = stepUntilEnd(state, { maxCalls: undefined, meteredTransactions, withEvents: false });
  let sliceStarted = performance.now();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return toPlan(state, step.value);
    if (performance.now() - sliceStarted < SLICE_MS) continue;
    await new Promise((resolve) => nextTurn(() => resolve(null)));
    sliceStarted = performance.now();
  }
}

/** Browsers have no setImmediate. */
const nextTurn: (run: () => void) => unknown = globalThis.setImmediate ?? ((run) => setTimeout(run, 0));

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
 * The events of each call of the plan, at most of the first `maxTransactions`, in the order of emission. Where the plan ends
 * blocked, the last element holds what the call that reverts emits until then.
 */
export function traceRemits(state: RemitState, { maxTransactions }: PlanRemitOptions = {}): RemitEvent[][] {
  const { calls, failed } = callUntilEnd(state, {
    ...{ maxCalls: maxTransactions, meteredTransactions: undefined, withEvents: true },
  });
  return [...calls, ...(failed ? [failed.call] : [])].map(({ events }) => events ?? []);
}

type Calls = {
  /** Those that succeed and change something. */
  calls: RemitCall[];
  end: PlanEnd;
  /** Present when the plan ends blocked. */
  failed?: { call: RemitCall; revert: Revert; culprit: Culprit };
};

type CallOptions = {
  maxCalls: number | undefined;
  meteredTransactions: number | undefined;
  withEvents: boolean;
};

function callUntilEnd(state: RemitState, options: CallOptions): Calls {
  const steps = stepUntilEnd(state, options);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** Stops after each call. */
function* stepUntilEnd(
  state: RemitState,
  { maxCalls = Number.POSITIVE_INFINITY, meteredTransactions = 0, withEvents }: CallOptions,
): Generator<void, Calls> {
  const working = new WorkingState(state);
  const calls: RemitCall[] = [];
  for (;;) {
    const call = openCall(working, calls.length, { withEvents, withGas: calls.length < meteredTransactions });
    try {
      remit(call);
    } catch (error) {
      if (!(error instanceof RemitRevert)) throw error;
      const { revert, culprit } = error;
      return culprit === undefined
        ? { calls, end: "caught_up" }
        : { calls, end: "blocked", failed: { call, revert, culprit } };
    }
    if (call.payments === 0 && call.closesDays.length === 0) return { calls, end: "no_progress" };
    if (calls.length >= maxCalls) return { calls, end: "limit" };
    calls.push(call);
    yield;
  }
}

function summarize({ closesDays, day, payments, failures, receipts }: RemitCall): PlannedTransaction {
  const callerFees = [...receipts].map(([token, units]) => ({ token, units }));
  return { closesDays, day, payments, failures, callerFees, gas: null };
}
