import { describe, expect, test } from "bun:test";
import { decimalToUnits, formatAmount, formatFixed, formatInteger, unitsToDecimal } from "./formatAmount";

test.each([
  ["0", "0.00"],
  ["12.5", "12.50"],
  ["1234567.891", "1,234,567.891"],
  ["-1000", "-1,000.00"],
  ["0.0000019", "0.000001…"],
  ["0.0000009", "< 0.000001"],
  ["-0.0000009", "-0.000000…"],
  ["9999999999999999999999.999999", "9,999,999,999,999,999,999,999.999999"],
])("%s is shown as %s: grouped, cut with a mark, never rounded", (amount, shown) => {
  expect(formatAmount(amount)).toBe(shown);
});

test("an amount that is too small for two digits is shown as less than 0.01, not as zero", () => {
  expect([formatAmount("0.009", 2), formatAmount("0.019", 2)]).toEqual(["< 0.01", "0.01…"]);
});

test("a fixed number of digits is cut towards zero", () => {
  expect(["1", "0.1999999", "-0.1999999"].map((amount) => formatFixed(amount, 6))).toEqual([
    "1.000000",
    "0.199999",
    "-0.199999",
  ]);
});

test("what is not a decimal number is refused instead of shown", () => {
  for (const text of ["", "1e5", "1,000", "NaN", ".5", "0x10"]) {
    expect(() => formatAmount(text)).toThrow(RangeError);
    expect(decimalToUnits(text, 18)).toBeNull();
  }
});

describe("units of a token", () => {
  test.each([
    [0n, 18, "0"],
    [1n, 18, "0.000000000000000001"],
    [1_500_000n, 6, "1.5"],
    [-25n, 2, "-0.25"],
    [7n, 0, "7"],
  ])("%s with %d decimals is %s, and back", (units, decimals, text) => {
    expect(unitsToDecimal(units, decimals)).toBe(text);
    expect(decimalToUnits(text, decimals)).toBe(units);
  });

  test("a figure that is finer than the token has no units", () => {
    expect(decimalToUnits("0.1234567", 6)).toBeNull();
  });
});

test("whole numbers of any size are grouped", () => {
  expect([0, 999, 1000, 12345678n, "100000"].map(formatInteger)).toEqual([
    "0",
    "999",
    "1,000",
    "12,345,678",
    "100,000",
  ]);
});
