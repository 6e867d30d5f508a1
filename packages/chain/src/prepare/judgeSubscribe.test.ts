import { expect, test } from "bun:test";
import { coveredPeriods } from "./judgeSubscribe";

test("an allowance of one period covers none after the initial charge, and one of 2^256 - 1 does not overflow", () => {
  expect(coveredPeriods({ units: 100n, charge: 25n, amount: 100n })).toBe(0);
  expect(coveredPeriods({ units: 125n, charge: 25n, amount: 100n })).toBe(1);
  expect(coveredPeriods({ units: 10n, charge: 25n, amount: 100n })).toBe(0);
  expect(coveredPeriods({ units: 2n ** 256n - 1n, charge: 25n, amount: 100n })).toBe(Number.MAX_SAFE_INTEGER);
  expect(coveredPeriods({ units: 0n, charge: 0n, amount: 0n })).toBe(Number.MAX_SAFE_INTEGER);
});
