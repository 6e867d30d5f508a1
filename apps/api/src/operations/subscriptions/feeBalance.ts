import { amountFields } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { DecimalString, IntegerString } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";

/** A fee balance, in the three fields of an amount. */
export const FeeBalance = Type.Object({
  feeBalance: DecimalString,
  feeBalanceRaw: IntegerString,
  tokenDecimals: Type.Integer({ minimum: 0, maximum: 255 }),
});

/** @param feeBalance as the protocol keeps it, with 18 decimals */
export function feeBalanceFields(feeBalance: bigint, decimals: number) {
  const { amount, amountRaw, tokenDecimals } = amountFields(toTokenUnits(feeBalance, decimals), decimals);
  return { feeBalance: amount, feeBalanceRaw: amountRaw, tokenDecimals };
}
