import { toTokenUnits } from "../amounts/tokenUnits";
import { type Charge, earnedFees } from "./charge";
import { systemShare } from "./chargeTerms";
import { sendTokens } from "./moveTokens";
import type { UnpaidReason } from "./plan";
import type { RemitCall } from "./remitCall";

/** Pays the caller what this call earned on one id, after the system's share (protocol part 5, rule 4). */
export function payCaller(call: RemitCall, charge: Charge): void {
  const { systemFeeActive, systemFeeReceiver, caller } = call.state.origin;
  const earned = earnedFees(charge);
  const share = systemShare(call.state.origin, earned);
  if (systemFeeActive) {
    call.meter?.count("systemTransfer");
    sendTokens(call, charge, systemFeeReceiver, share);
  }
  call.meter?.count("callerTransfer");
  sendTokens(call, charge, caller, earned - share);
}

/** Records that the fees of this call on one id stay with the protocol (protocol part 5, rule 2e). */
export function forfeitFees(call: RemitCall, charge: Charge): void {
  const { id, token } = charge.subscription;
  for (let index = call.outcomes.length - 1; index >= 0; index--) {
    const outcome = call.outcomes[index];
    if (outcome?.id !== id) break;
    outcome.callerFee = 0n;
  }
  const earned = earnedFees(charge);
  const units = toTokenUnits(earned - systemShare(call.state.origin, earned), charge.ledger.token.decimals);
  if (units === 0n) return;
  const reason: UnpaidReason = charge.active === 0 ? "no_difference" : "unsubscribed_first";
  call.unpaidFees.push({ transaction: call.transaction, dayNumber: call.day, reason, id, token, units });
}
