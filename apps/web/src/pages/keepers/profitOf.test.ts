import { expect, test } from "bun:test";
import { gasPriceOf, type PlannedCosts, profitOf, readPrice } from "./profitOf";

const TOKEN = "0x5FbDB2315678afecb367f032d93F642f64180aa3";
const ETHER = 10n ** 18n;

/** Transactions of 100 gas that pay this number of tokens of 6 decimals, and rollup fees of 10 wei each. */
function planOf(...fees: number[]): PlannedCosts {
  const gas = 100 * fees.length;
  const rollup = 10 * fees.length;
  return {
    totals: {
      transactions: fees.length,
      gasUsed: String(gas),
      estimatedCostWei: String(gas * 2 + rollup),
      l1FeeWei: String(rollup),
    },
    plan: {
      transactions: fees.map((tokens, index) => ({
        index,
        gasUsed: "100",
        callerFees: [{ token: TOKEN, amountRaw: String(tokens * 1_000_000), tokenDecimals: 6 }],
      })),
    },
  };
}

const prices = { gasWei: 2n, tokenWei: new Map([[TOKEN, 100n]]) };

test("fees are worth their price, and cost gas and an even share of the rollup's fees", () => {
  expect(profitOf(planOf(5), prices)).toEqual({
    transactions: [{ index: 0, feesWei: 500n, costWei: 210n, netWei: 290n, cumulativeWei: 290n }],
    best: 1,
    bestWei: 290n,
  });
});

test("a transaction at a loss is sent for those behind it, and none that lowers the sum for good", () => {
  expect(profitOf(planOf(5, 0, 9, 1), prices)).toMatchObject({ best: 3, bestWei: 770n });
  expect(profitOf(planOf(5, 0, 1), prices)).toMatchObject({ best: 1, bestWei: 290n });
});

test("a plan that earns nothing at any point is not sent", () => {
  expect(profitOf(planOf(1, 2, 2), prices)).toMatchObject({ best: 0, bestWei: 0n });
  expect(profitOf(planOf(), prices)).toEqual({ transactions: [], best: 0, bestWei: 0n });
});

test("figures beyond the precision of a float stay exact", () => {
  const tokenWei = new Map([[TOKEN, 123_456_789n * ETHER + 1n]]);
  const [only] = profitOf(planOf(9_007_199_254), { gasWei: 0n, tokenWei }).transactions;
  expect(only?.feesWei).toBe(9_007_199_254n * (123_456_789n * ETHER + 1n));
});

test("the price of gas is that of the plan, without the fees of the rollup", () => {
  expect(gasPriceOf(planOf(1, 2))).toBe(2n);
  expect(gasPriceOf(planOf())).toBe(0n);
});

test("prices are read as they are typed, and refused where they are not one", () => {
  expect([readPrice("0.05", "gwei"), readPrice(" 0.0004 ", "ETH")]).toEqual([50_000_000n, 400_000_000_000_000n]);
  for (const text of ["", "-1", "1e3", "0,5", "0.0000000001"]) expect(readPrice(text, "gwei")).toBeNull();
});
