import { withoutTrailing } from "../text/withoutTrailing";
/** The fee unit of the protocol: 10000 is 0 %, 10025 is 0.25 %. */
export const FEE_BASE = 10_000n;

/** What a keeper earns for one payment of `amount` (18 decimals): amount * callerFee / 10000 - amount. */
export function callerAmount(amount: bigint, callerFee: bigint): bigint {
  return (amount * callerFee) / FEE_BASE - amount;
}

/** A fee of the protocol (10000 + basis points) as a percentage, e.g. 10025n is "0.25". */
export function feePercent(fee: bigint): string {
  const points = fee - FEE_BASE;
  const sign = points < 0n ? "-" : "";
  const digits = (points < 0n ? -points : points).toString().padStart(3, "0");
  const fraction = withoutTrailing(digits.slice(-2), "0");
  return `${sign}${digits.slice(0, -2)}${fraction === "" ? "" : `.${fraction}`}`;
}
