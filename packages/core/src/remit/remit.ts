import type { RemitCall } from "./remitCall";
import { nothingToRemit } from "./remitRevert";
import { settleDay } from "./settleDay";

/**
 * One call of remit(): closes empty days up to the first day that is not empty, and settles that day or a page of it (protocol
 * part 5). Changes `call.state`. Throws RemitRevert where the call reverts, which leaves `call.state` partly changed.
 */
export function remit(call: RemitCall): void {
  const { state } = call;
  const { today, caller } = state.origin;
  do {
    if (today < state.nextUncheckedDay) throw nothingToRemit();
    call.day = state.nextUncheckedDay;
    call.meter?.openDay(call.day);
    const isFinished = settleDay(call);
    call.events?.push({ event: "CallerLog", checkedDay: call.day, caller, isFinished });
    if (!isFinished) return;
    call.closesDays.push(call.day);
    call.resume = null;
    state.checkpoint = null;
    call.meter?.closeDay(call.day);
    state.nextUncheckedDay++;
  } while (!call.dayHasDue);
  if (call.payments === 0) {
    call.unpaidFees.push({ transaction: call.transaction, dayNumber: call.day, reason: "nothing_charged" });
  }
}
