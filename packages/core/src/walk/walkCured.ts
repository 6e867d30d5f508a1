import type { Address, Hex } from "viem";
import { toTokenUnits } from "../amounts/tokenUnits";
import type { RemitState } from "../remit/state";
import { stepRemits } from "../remit/stepRemits";
import type { Lack } from "../remit/tokenLedger";
import { WorkingState } from "../remit/workingState";
import { runInSlices } from "../runInSlices";

/** A charge of an account whose charges never fail. */
export type CuredCharge = {
  id: Hex;
  token: Address;
  dayNumber: number;
  /** Token units that the account has to hold and allow. */
  units: bigint;
  /** What the account was given for this charge; null where it had enough. */
  lack: Lack | null;
};

export type CuredWalk = {
  charges: CuredCharge[];
  /** The last day number that the walk has closed. */
  throughDay: number;
};

/**
 * The charges of `account` over the open days and `daysAhead` days after today, if the account is given what each charge lacks right
 * before that charge, as after a repair. `state` has to hold the due lists of these days. Runs in slices of some milliseconds.
 */
export async function walkCured(state: RemitState, account: Address, daysAhead: number): Promise<CuredWalk> {
  const today = state.today + daysAhead;
  const charges: CuredCharge[] = [];
  let lastClosed = state.nextUncheckedDay - 1;
  const steps = stepRemits(new WorkingState({ ...state, today }), { cured: account });
  const { end } = await runInSlices(steps, ({ outcomes, closesDays }) => {
    for (const { id, subscriber, dayNumber, outcome, lack } of outcomes) {
      if (subscriber !== account || outcome === "skipped" || outcome === "missed") continue;
      const subscription = state.subscriptions.get(id);
      const token = subscription && state.tokens.get(subscription.token);
      if (subscription === undefined || token === undefined) continue;
      const units = toTokenUnits(subscription.amount, token.decimals);
      charges.push({ id, token: subscription.token, dayNumber, units, lack });
    }
    lastClosed = closesDays.at(-1) ?? lastClosed;
  });
  return { charges, throughDay: end === "caught_up" ? Math.max(today, state.nextUncheckedDay - 1) : lastClosed };
}
