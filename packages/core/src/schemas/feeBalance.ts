import { Type } from "@sinclair/typebox";
import { amountFields } from "../amounts/tokenAmount";
import { toTokenUnits } from "../amounts/tokenUnits";
import { DecimalString, TokenDecimals, TokenUnits } from "../schema";

/** What a subscriber has prepaid for keepers, in the three fields of an amount. */
export const FeeBalance = Type.Object({
  feeBalance: DecimalString,
  feeBalanceRaw: TokenUnits,
  tokenDecimals: TokenDecimals,
});

/** @param feeBalance as the protocol stores it, with 18 decimals */
export function feeBalanceFields(feeBalance: bigint, decimals: number) {
  const { amount, amountRaw, tokenDecimals } = amountFields(toTokenUnits(feeBalance, decimals), decimals);
  return { feeBalance: amount, feeBalanceRaw: amountRaw, tokenDecimals };
}
