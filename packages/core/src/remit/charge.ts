import { callerAmount } from "../amounts/callerAmount";
import { toTokenUnits } from "../amounts/tokenUnits";
import type { RemitCall } from "./remitCall";
import { arithmeticPanic } from "./remitRevert";
import type { RemitSubscription } from "./state";
import type { TokenLedger } from "./tokenLedger";
import type { WorkingSet } from "./workingState";

/** One id while a call charges its subscribers: its terms, worked out once, and what the caller has earned on it. */
export type Charge = {
  readonly subscription: RemitSubscription;
  readonly set: WorkingSet;
  readonly ledger: TokenLedger;
  /** Position of the id in its due list, from 1. */
  readonly listPosition: number;
  /** Set size - list size when the call came to the id; 0 leaves the caller without fees (rule 2e). */
  readonly active: number;
  /** What a subscriber must have and allow, token units. */
  readonly units: bigint;
  /** The caller's fee for one payment, 18 decimals. */
  readonly subFee: bigint;
  /** What the caller gets of it in the end, token units: less the system's share, rounded down. */
  readonly callerUnits: bigint;
  /** A top-up of the fee balance, 18 decimals and token units. */
  readonly feeFill: bigint;
  readonly feeFillUnits: bigint;
  /** What a top-up leaves for the provider: 3 times feeFill monthly, 11 times quarterly and yearly. 18 decimals, token units. */
  readonly rest: bigint;
  readonly restUnits: bigint;
  /** Payments on which the caller has earned subFee. */
  earned: number;
};

const MAX_UINT256 = 2n ** 256n - 1n;

/** Parts of a payment: one of them tops up the fee balance (protocol part 5, rule 2c). */
export const FILL_PARTS = [1n, 4n, 12n, 12n] as const;

/** Throws RemitRevert (panic 0x11) where the unsubscribed list outgrew the set, or the fee can't be worked out. */
export function openCharge(call: RemitCall, subscription: RemitSubscription, listPosition: number): Charge {
  const { callerFee } = call.state.origin;
  const { id, amount, token } = subscription;
  const set = call.state.set(subscription);
  const ledger = call.state.ledger(token);
  const active = set.subscribers.length - set.unsubscribed.size;
  const subFee = callerAmount(amount, callerFee);
  if (active < 0 || subFee < 0n || amount * callerFee > MAX_UINT256) throw arithmeticPanic({ id, token });
  const parts = FILL_PARTS[subscription.frequency];
  const feeFill = amount / parts;
  const rest = feeFill * (parts - 1n);
  const { decimals } = ledger.token;
  return {
    subscription,
    set,
    ledger,
    listPosition,
    active,
    units: toTokenUnits(amount, decimals),
    subFee,
    callerUnits: toTokenUnits(subFee - systemShare(call, subFee), decimals),
    feeFill,
    feeFillUnits: toTokenUnits(feeFill, decimals),
    rest,
    restUnits: toTokenUnits(rest, decimals),
    earned: 0,
  };
}

/** What the caller has earned on the id so far, 18 decimals. */
export function earnedFees({ earned, subFee }: Charge): bigint {
  return BigInt(earned) * subFee;
}

/** What of `earned` (18 decimals) goes to the system receiver (protocol part 5, rule 4). */
export function systemShare(call: RemitCall, earned: bigint): bigint {
  const { systemFeeActive, systemFee } = call.state.origin;
  return systemFeeActive ? callerAmount(earned, systemFee) : 0n;
}
