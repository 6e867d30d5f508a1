import { expect, test } from "bun:test";
import { fitGas } from "./fitGas";

const line = (payments: number) => ({ payments, gasUsed: 60_000n + 80_000n * BigInt(payments) });

test("points on a line give the line, beyond them too", () => {
  const fit = fitGas([1, 5, 5, 9].map(line));
  expect([0, 3, 100].map((payments) => fit?.(payments))).toEqual([60_000n, 300_000n, 8_060_000n]);
});

test("values between points are rounded up", () => {
  expect(fitGas([line(1), { payments: 3, gasUsed: 300_001n }])?.(2)).toBe(220_001n);
});

test("calls of one size alone give gas in proportion", () => {
  expect(fitGas([line(4), line(4)])?.(8)).toBe(760_000n);
});

test("no fit gives negative gas, and no call at all gives none", () => {
  expect(fitGas([line(100), { payments: 90, gasUsed: 1n }])?.(1)).toBe(0n);
  expect(fitGas([])).toBeNull();
});
