import type { ChargeTerms } from "./chargeTerms";
import type { RemitCall } from "./remitCall";
import { arithmeticPanic } from "./remitRevert";
import type { RemitSubscription } from "./state";
import type { TokenLedger } from "./tokenLedger";
import type { WorkingSet } from "./workingState";

/** The state of one id while a call charges its subscribers, with the fees that the caller has earned on it. */
export type Charge = {
  readonly subscription: RemitSubscription;
  readonly terms: ChargeTerms;
  readonly set: WorkingSet;
  readonly ledger: TokenLedger;
  /** Position of the id in its due list, from 1. */
  readonly listPosition: number;
  /** Set size - list size when the call came to the id; 0 leaves the caller without fees (rule 2e). */
  readonly active: number;
  /** Payments on which the caller has earned subFee. */
  earned: number;
};

/** Throws RemitRevert (panic 0x11) where the unsubscribed list outgrew the set, or the fee can't be worked out. */
export function openCharge(call: RemitCall, subscription: RemitSubscription, listPosition: number): Charge {
  const { id, token } = subscription;
  const set = call.state.set(subscription);
  const ledger = call.state.ledger(token);
  const terms = call.state.termsOf(subscription, ledger.token.decimals);
  const active = set.subscribers.length - set.unsubscribed.size;
  if (active < 0 || !terms.hasFee) throw arithmeticPanic({ id, token });
  return { subscription, terms, set, ledger, listPosition, active, earned: 0 };
}

/** What the caller has earned on the id so far, 18 decimals. */
export function earnedFees({ earned, terms }: Charge): bigint {
  return BigInt(earned) * terms.subFee;
}
