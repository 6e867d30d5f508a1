import type { Address } from "viem";
import { toTokenUnits } from "../amounts/tokenUnits";
import { countDueDays } from "../calendar/countDueDays";
import { nextDueDay } from "../calendar/nextDueDay";
import type { RemitState, RemitSubscription } from "../remit/state";
import { activePlans } from "./activePlans";
import { walkCured } from "./walkCured";

export type NeededAllowanceParameters = {
  account: Address;
  token: Address;
  /** Day number up to which charges count. */
  throughDay: number;
};

/**
 * The allowance that all charges of an account in one token take up to a day, token units: those that the model finds
 * on the open days, and one for every due day after them.
 */
export async function neededAllowance(
  state: RemitState,
  { account, token, throughDay }: NeededAllowanceParameters,
): Promise<bigint> {
  const open = await walkCured(state, account, 0);
  const own = (activePlans(state).get(account) ?? []).flatMap(({ id }) => state.subscriptions.get(id) ?? []);
  const plans = own.filter((plan) => plan.token === token);
  const decimals = state.tokens.get(token)?.decimals ?? 0;
  let needed = open.charges.reduce((sum, charge) => (charge.token === token ? sum + charge.units : sum), 0n);
  for (const { id, frequency, dueDay, amount } of plans) {
    // The walk can end within a day, after it has charged some of that day's plans.
    const last = open.charges.findLast((charge) => charge.id === id)?.dayNumber ?? 0;
    const from = Math.max(open.throughDay, last) + 1;
    const due = countDueDays({ frequency, dueDay, from, to: throughDay });
    needed += toTokenUnits(amount, decimals) * BigInt(due);
  }
  return needed;
}

/** The number of the day with which `periods` due days have passed. Those up to today, and those that remit() has closed, do not count. */
export function lastDayOfPeriods(
  { today, nextUncheckedDay }: Pick<RemitState, "today" | "nextUncheckedDay">,
  { frequency, dueDay }: Pick<RemitSubscription, "frequency" | "dueDay">,
  periods: number,
): number {
  let day = Math.max(today, nextUncheckedDay - 1);
  for (let period = 0; period < periods; period++) day = nextDueDay(frequency, dueDay, day + 1);
  return day;
}
