import type { Address, Hex } from "viem";
import { lastClosedDay } from "./forecastFromPlan";
import { planRemit } from "./planRemit";
import type { RemitState } from "./state";

/** Whether remit() will charge for a subscription, or for one `subscriber` of it, on a due day that is not closed. */
export type ChargedDays = (id: Hex, subscriber: Address | null, day: number) => boolean;

/**
 * Plans remit() to find the charges that the open days up to today still have: a page may have handled or missed a
 * subscription already, or may miss it later. Days after the last one that a stopped plan closes count as charged, and so do all
 * days where the state is not that of the whole contract (`estimated`).
 */
export function createChargedDays({ state, estimated }: { state: RemitState; estimated: boolean }): ChargedDays {
  if (estimated) return () => true;
  const { details, end, transactions } = planRemit(state);
  const charged = new Set<string>();
  for (const { id, subscriber, dayNumber, outcome } of details.payments) {
    if (outcome === "skipped" || outcome === "missed") continue;
    charged.add(`${id} ${dayNumber}`).add(`${id} ${subscriber} ${dayNumber}`);
  }
  const planned = lastClosedDay(transactions) ?? state.nextUncheckedDay - 1;
  const last = end === "caught_up" ? state.today : planned;
  return (id, subscriber, day) =>
    day > last || charged.has(subscriber === null ? `${id} ${day}` : `${id} ${subscriber} ${day}`);
}
