import { callerAmount } from "../amounts/callerAmount";
import type { Frequency } from "./frequency";
import { prorate } from "./prorate";

/**
 * How the first payment is determined: the part of a period up to the next due day; a whole period, because today is the due day; or only
 * the keeper's fee for one payment, because remit() will still charge today, or because the part of the period is less than this fee.
 */
export const chargeReasons = ["prorated", "whole_period", "keeper_fee"] as const;
export type ChargeReason = (typeof chargeReasons)[number];

/** How the first payment of a new subscriber is split; 18 decimals. */
export type InitialCharge = { total: bigint; toFeeBalance: bigint; toProvider: bigint; reason: ChargeReason };

export type InitialChargeParameters = {
  /** Amount of one period, 18 decimals. */
  amount: bigint;
  frequency: Frequency;
  dueDay: number;
  /** 10000 + basis points. */
  callerFee: bigint;
  /** Day number of the block that subscribe() runs in. */
  today: number;
  nextUncheckedDay: number;
};

/** What subscribe() takes at once, and where it goes (protocol part 4, subscribe, steps 1 to 4). */
export function initialCharge(parameters: InitialChargeParameters): InitialCharge {
  const { amount, frequency, dueDay, callerFee, today, nextUncheckedDay } = parameters;
  const forCaller = callerAmount(amount, callerFee);
  const fee = prorate(amount, frequency, dueDay, today);
  if (fee < forCaller || (fee === amount && nextUncheckedDay <= today)) {
    return { total: forCaller, toFeeBalance: forCaller, toProvider: 0n, reason: "keeper_fee" };
  }
  const toFeeBalance = feeBalanceShare(fee, amount, frequency);
  const reason = fee === amount ? "whole_period" : "prorated";
  return { total: fee, toFeeBalance, toProvider: fee - toFeeBalance, reason };
}

function feeBalanceShare(fee: bigint, amount: bigint, frequency: Frequency): bigint {
  if (amount === 0n || frequency === 0) return fee;
  if (frequency === 1) return (fee * 100n) / amount >= 25n ? (amount * 25n) / 100n : fee;
  return (fee * 1000n) / amount >= 83n ? (amount * 83n) / 1000n : fee;
}
