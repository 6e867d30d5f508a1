import { expect, test } from "bun:test";
import fc from "fast-check";
import { callerAmount, feePercent } from "./callerAmount";
import { formatUnits, parseAmount } from "./decimalText";
import { saturate } from "./saturate";
import { fitsTokenUnits, PROTOCOL_DECIMALS, toTokenUnits } from "./tokenUnits";

const decimals = fc.integer({ min: 0, max: 24 });
const amount = fc.bigInt({ min: 0n, max: 2n ** 200n });

/** Token units as a protocol amount. Exact up to 18 decimals; what is finer than that is cut off. */
function toProtocolAmount(units: bigint, tokenDecimals: number): bigint {
  const shift = PROTOCOL_DECIMALS - tokenDecimals;
  return shift >= 0 ? units * 10n ** BigInt(shift) : units / 10n ** BigInt(-shift);
}

test("whole tokens -> protocol -> token units -> whole tokens loses nothing that protocol and token can express", () => {
  fc.assert(
    fc.property(amount, decimals, (protocolAmount, tokenDecimals) => {
      const held = toTokenUnits(protocolAmount, tokenDecimals);
      const parsed = parseAmount(formatUnits(held, tokenDecimals), tokenDecimals);
      expect(parsed).toEqual({ amount: toProtocolAmount(held, tokenDecimals) });
      if ("amount" in parsed) expect(toTokenUnits(parsed.amount, tokenDecimals)).toBe(held);
    }),
  );
});

test("an amount finer than the token can express is refused, never rounded", () => {
  fc.assert(
    fc.property(amount, decimals, fc.integer({ min: 1, max: 9 }), (whole, tokenDecimals, digit) => {
      const finest = Math.min(18, tokenDecimals);
      expect(parseAmount(`${whole}.${"0".repeat(finest)}${digit}`, tokenDecimals)).toMatchObject({ fault: "TOO_FINE" });
      expect(parseAmount(`${whole}.${"0".repeat(finest + 1)}`, tokenDecimals)).not.toMatchObject({ fault: "TOO_FINE" });
    }),
  );
});

test("the refusal of an amount that is too fine names what can't express it: the token, or the protocol", () => {
  const refusal = (message: string) => ({ fault: "TOO_FINE", message }) as const;
  expect(parseAmount("0.0000001", 6)).toEqual(refusal("must have at most 6 decimals: the token can't express more"));
  expect(parseAmount(`0.${"1".repeat(19)}`, 24)).toEqual(
    refusal("must have at most 18 decimals: the protocol can't express more"),
  );
});

test("an amount that overflows a uint256 in the token's units is known not to fit", () => {
  const twelve = 12n * 10n ** 18n;
  expect([0, 6, 18, 24, 75].map((decimals) => fitsTokenUnits(twelve, decimals))).toEqual(Array(5).fill(true));
  expect([76, 100, 255].map((decimals) => fitsTokenUnits(twelve, decimals))).toEqual([false, false, false]);
  // The contract computes the power first, so not even 0 can be converted.
  expect([95, 96].map((decimals) => fitsTokenUnits(0n, decimals))).toEqual([true, false]);
});

test("an amount the protocol rounds down to token units is never rounded up", () => {
  fc.assert(
    fc.property(amount, decimals, (protocolAmount, tokenDecimals) => {
      const back = toProtocolAmount(toTokenUnits(protocolAmount, tokenDecimals), tokenDecimals);
      expect(back <= protocolAmount).toBe(true);
      expect(protocolAmount - back < 10n ** BigInt(Math.max(0, 18 - tokenDecimals))).toBe(true);
    }),
  );
});

test("signs, exponents, leading zeros, spaces and what no uint256 can hold are refused", () => {
  for (const text of ["", "-1", "+1", "1e3", "01", ".5", "1.", " 1", "1,5", "0x1", "1".repeat(300)]) {
    expect(parseAmount(text, 18)).toMatchObject({ fault: "MALFORMED" });
  }
  expect(parseAmount("1".repeat(100), 6)).toMatchObject({ fault: "TOO_LARGE" });
});

test("fees read as percentages, and a keeper's share follows the protocol's formula", () => {
  expect([10000n, 10025n, 10833n, 19999n, 10100n].map(feePercent)).toEqual(["0", "0.25", "8.33", "99.99", "1"]);
  expect(callerAmount(1_000_000n, 10025n)).toBe(2_500n);
  expect(callerAmount(399n, 10025n)).toBe(0n);
});

test("an absurd uint256 saturates instead of losing digits", () => {
  expect(saturate(2n ** 256n - 1n)).toBe(Number.MAX_SAFE_INTEGER);
  expect(saturate(7n)).toBe(7);
});
