import { withoutTrailing } from "../text/withoutTrailing";
import { MAX_UINT256, PROTOCOL_DECIMALS } from "./tokenUnits";

const AMOUNT = /^(0|[1-9][0-9]*)(?:\.([0-9]+))?$/;

/** Token units as whole tokens, without trailing zeros: 12500000 with 6 decimals is "12.5". Negative values keep their sign. */
export function formatUnits(units: bigint, decimals: number): string {
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = withoutTrailing(digits.slice(digits.length - decimals), "0");
  return `${sign}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}

export type ParsedAmount = { amount: bigint } | { fault: "MALFORMED" | "TOO_FINE" | "TOO_LARGE"; message: string };

/**
 * Whole tokens as text to the protocol's 18 decimals. Refused: signs, exponents, leading zeros; an amount finer than the token
 * (or, for a token with more than 18 decimals, the protocol) can express; an amount that does not fit a uint256.
 */
export function parseAmount(text: string, tokenDecimals: number): ParsedAmount {
  const match = text.length <= 200 ? AMOUNT.exec(text) : null;
  if (match === null) {
    return { fault: "MALFORMED", message: 'must be a decimal number of whole tokens, such as "12.50"' };
  }
  const fraction = withoutTrailing(match[2] ?? "", "0");
  const finest = Math.min(tokenDecimals, PROTOCOL_DECIMALS);
  if (fraction.length > finest) {
    const limiting = tokenDecimals > PROTOCOL_DECIMALS ? "protocol" : "token";
    return { fault: "TOO_FINE", message: `must have at most ${finest} decimals: the ${limiting} can't express more` };
  }
  const amount = BigInt(`${match[1]}${fraction.padEnd(PROTOCOL_DECIMALS, "0")}`);
  if (amount > MAX_UINT256) return { fault: "TOO_LARGE", message: "is more than the protocol can hold" };
  return { amount };
}
