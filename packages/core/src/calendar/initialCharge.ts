import { callerAmount } from "../amounts/callerAmount";
import type { Frequency } from "./frequency";
import { prorate } from "./prorate";

/** How the first payment of a new subscriber is split; 18 decimals. */
export type InitialCharge = { total: bigint; toFeeBalance: bigint; toProvider: bigint };

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
    return { total: forCaller, toFeeBalance: forCaller, toProvider: 0n };
  }
  const toFeeBalance = feeBalanceShare(fee, amount, frequency);
  return { total: fee, toFeeBalance, toProvider: fee - toFeeBalance };
}

function feeBalanceShare(fee: bigint, amount: bigint, frequency: Frequency): bigint {
  if (amount === 0n || frequency === 0) return fee;
  if (frequency === 1) return (fee * 100n) / amount >= 25n ? (amount * 25n) / 100n : fee;
  return (fee * 1000n) / amount >= 83n ? (amount * 83n) / 1000n : fee;
}
