import type { Address } from "viem";
import type { Revert } from "../reverts/revert";
import type { PlanEnd } from "./plan";
import { remit } from "./remit";
import { openCall, type RemitCall } from "./remitCall";
import { type Culprit, RemitRevert } from "./remitRevert";
import type { WorkingState } from "./workingState";

export type StepOptions = {
  /** The most calls that are yielded; one more is made, to find out whether they end there. No limit by default. */
  maxCalls?: number | undefined;
  /** Number of the first call in the plan; 0 by default. */
  firstTransaction?: number;
  /** How many calls, from the first on, have their gas metered; none by default. */
  meteredTransactions?: number | undefined;
  /** Whether the events of each call are recorded; not by default. */
  withEvents?: boolean;
  /** An account that is given what each of its payments lacks, right before it; none by default. */
  cured?: Address | null;
};

/** How repeated calls of remit() end. */
export type RemitsEnding = {
  end: PlanEnd;
  /** Present when they end blocked. */
  failed?: { call: RemitCall; revert: Revert; culprit: Culprit };
};

/**
 * Calls remit() on `working` again and again until it reverts, changes nothing, or succeeds once more after `maxCalls`
 * calls. Yields each call before that. If the calls end caught up, `working` may be used on a later day; if they end
 * blocked, the call that reverts has changed it in part. Throws RangeError where the state lacks a subscription or a token that it names.
 */
export function* stepRemits(
  working: WorkingState,
  {
    maxCalls = Number.POSITIVE_INFINITY,
    firstTransaction = 0,
    meteredTransactions = 0,
    withEvents = false,
    cured = null,
  }: StepOptions,
): Generator<RemitCall, RemitsEnding> {
  for (let count = 0; ; count++) {
    const { nextUncheckedDay, checkpoint } = working;
    const call = openCall(working, firstTransaction + count, {
      withEvents,
      withGas: count < meteredTransactions,
      cured,
    });
    try {
      remit(call);
    } catch (error) {
      if (!(error instanceof RemitRevert)) throw error;
      const { revert, culprit } = error;
      if (culprit !== undefined) return { end: "blocked", failed: { call, revert, culprit } };
      // The chain undoes the whole call: on a later day, the next one closes the same empty days again.
      working.nextUncheckedDay = nextUncheckedDay;
      working.checkpoint = checkpoint;
      return { end: "caught_up" };
    }
    if (call.payments === 0 && call.closesDays.length === 0) return { end: "no_progress" };
    if (count >= maxCalls) return { end: "limit" };
    yield call;
  }
}
