import { callerAmount } from "../amounts/callerAmount";
import { MAX_UINT256, toTokenUnits } from "../amounts/tokenUnits";
import type { RemitState, RemitSubscription } from "./state";

/** The parts of a payment, which follow from a subscription's amount and frequency. */
export type ChargeTerms = {
  /** What a subscriber must have and allow, token units. */
  readonly units: bigint;
  /** The caller's fee for one payment, 18 decimals. */
  readonly subFee: bigint;
  /** What the caller gets of `subFee`, token units: less the system's share, rounded down. */
  readonly callerUnits: bigint;
  /** A top-up of the fee balance, 18 decimals and token units. */
  readonly feeFill: bigint;
  readonly feeFillUnits: bigint;
  /** What a top-up leaves for the provider: 3 times feeFill monthly, 11 times quarterly and yearly. 18 decimals, token units. */
  readonly rest: bigint;
  readonly restUnits: bigint;
  /** False where the contract's arithmetic fails on the fee. */
  readonly hasFee: boolean;
};

/** The terms of a subscription whose token has `decimals`. */
export type ChargeTermsOf = (
  subscription: Pick<RemitSubscription, "amount" | "frequency">,
  decimals: number,
) => ChargeTerms;

type Fees = Pick<RemitState, "callerFee" | "systemFee" | "systemFeeActive">;

/** Number of parts of a payment by frequency: one part tops up the fee balance (protocol part 5, rule 2c). */
export const FILL_PARTS = [1n, 4n, 12n, 12n] as const;

/** The most terms that are kept for one frequency and number of decimals: with more different prices, keeping them gains nothing. */
const MOST_KEPT = 10_000;

/**
 * Computes the terms of equal subscriptions once: a million subscriptions have few different prices, and without
 * this a plan would divide millions of times.
 */
export function createChargeTerms(fees: Fees): ChargeTermsOf {
  /** By frequency and decimals, then by amount. */
  const kept = new Map<number, Map<bigint, ChargeTerms>>();
  return (subscription, decimals) => {
    const key = decimals * FILL_PARTS.length + subscription.frequency;
    const known = kept.get(key)?.get(subscription.amount);
    if (known !== undefined) return known;
    const terms = termsOf(subscription, decimals, fees);
    const ofKey = kept.get(key) ?? new Map<bigint, ChargeTerms>();
    if (ofKey.size < MOST_KEPT) kept.set(key, ofKey.set(subscription.amount, terms));
    return terms;
  };
}

function termsOf({ amount, frequency }: Parameters<ChargeTermsOf>[0], decimals: number, fees: Fees): ChargeTerms {
  const { callerFee } = fees;
  const subFee = callerAmount(amount, callerFee);
  const parts = FILL_PARTS[frequency];
  const feeFill = amount / parts;
  const rest = feeFill * (parts - 1n);
  return {
    units: toTokenUnits(amount, decimals),
    subFee,
    callerUnits: toTokenUnits(subFee - systemShare(fees, subFee), decimals),
    feeFill,
    feeFillUnits: toTokenUnits(feeFill, decimals),
    rest,
    restUnits: toTokenUnits(rest, decimals),
    hasFee: subFee >= 0n && amount * callerFee <= MAX_UINT256,
  };
}

/** The part of `earned` (18 decimals) that goes to the system receiver (protocol part 5, rule 4). */
export function systemShare({ systemFeeActive, systemFee }: Omit<Fees, "callerFee">, earned: bigint): bigint {
  return systemFeeActive ? callerAmount(earned, systemFee) : 0n;
}
