import { expect, test } from "bun:test";
import { amountsOf, type CalendarDay } from "./countsOf";

test("a day has the amounts of what is open, to come, settled and missed", () => {
  const sumOf = (amount: string): CalendarDay["open"] => ({
    payments: 1,
    byToken: [{ token: "0x01", symbol: "USDC", amount, amountRaw: `${amount}000000`, tokenDecimals: 6, payments: 1 }],
  });
  const day = { open: sumOf("1"), upcoming: sumOf("2"), settled: null, missed: sumOf("4") };
  expect(amountsOf(day).map(({ amount }) => amount)).toEqual(["1", "2", "4"]);
  expect(amountsOf({ ...day, settled: sumOf("3") }).map(({ amount }) => amount)).toEqual(["1", "2", "3", "4"]);
});
