import { expect, test } from "bun:test";
import { adviceOf } from "./adviceOf";
import type { PlannedCosts } from "./profitOf";

const [FIRST, SECOND] = ["0x5FbDB2315678afecb367f032d93F642f64180aa3", "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"];

const fee = (token: string) => ({ token, amountRaw: "1000000", tokenDecimals: 6 });
/** Two transactions with a fee of one token each; gas is 2 wei. */
const plan: PlannedCosts = {
  totals: { transactions: 2, gasUsed: "200", estimatedCostWei: "400" },
  plan: {
    transactions: [
      { index: 0, gasUsed: "100", callerFees: [fee(FIRST)] },
      { index: 1, gasUsed: "100", callerFees: [fee(SECOND)] },
    ],
  },
};
const advise = (gas: string | null, tokens: Record<string, string>) => {
  const { gasWei, isKnown, profits } = adviceOf(plan, { gas, tokens });
  return { gasWei, isKnown, best: profits.best };
};

test("nothing is advised before the worth of every token of the plan is typed, of which 0 is one", () => {
  expect(advise(null, {})).toMatchObject({ isKnown: false });
  expect(advise(null, { [FIRST]: "1" })).toMatchObject({ isKnown: false });
  expect(advise(null, { [FIRST]: "1", [SECOND]: "one" })).toMatchObject({ isKnown: false });
  expect(advise(null, { [FIRST]: "1", [SECOND]: "0" })).toEqual({ gasWei: 2n, isKnown: true, best: 1 });
  expect(advise(null, { [FIRST]: "1", [SECOND]: "1" })).toEqual({ gasWei: 2n, isKnown: true, best: 2 });
});

test("a price of gas that is typed counts instead of the present one, and what is not a price leaves nothing known", () => {
  expect(advise("0.5", { [FIRST]: "0.00000000000001", [SECOND]: "1" })).toMatchObject({
    gasWei: 500_000_000n,
    best: 2,
  });
  expect(advise("cheap", { [FIRST]: "1", [SECOND]: "1" })).toMatchObject({ gasWei: null, isKnown: false });
});

test("nothing is advised where the gas of a transaction is not known: it would count as free", () => {
  const [first] = plan.plan.transactions;
  if (first === undefined) throw new Error("the plan has two transactions");
  const unmeasured = { ...plan, plan: { transactions: [first, { index: 1, callerFees: [fee(SECOND)] }] } };
  expect(adviceOf(unmeasured, { gas: null, tokens: { [FIRST]: "1", [SECOND]: "1" } })).toMatchObject({
    isMeasured: false,
    isKnown: false,
  });
});
