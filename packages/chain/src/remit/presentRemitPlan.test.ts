import { expect, test } from "bun:test";
import { zeroAddress } from "viem";
import { presentRemitPlan } from "./presentRemitPlan";

const token = { address: zeroAddress, symbol: "USDC", decimals: 6 };
const from = zeroAddress;

test("a transaction of unknown gas does not count as profitable, and its part of the cost is the same in both totals", () => {
  const transaction = { day: 1, closesDays: [1], payments: 1, failures: 0, gas: null };
  const plan = {
    source: "modelled" as const,
    complete: true,
    end: "caught_up" as const,
    transactions: [{ ...transaction, callerFees: [{ token: token.address, units: 1_000_000n }] }],
    details: null,
  };
  const rollupFees = { l1FeeWei: 5n, operatorFee: null };
  const tokens = new Map([[token.address, token]]);
  const facts = { plan, gasPrice: 1n, rollupFees, gasCap: 30_000_000n, tokens };
  const priceByToken = new Map([[token.address, 10n ** 18n]]);
  const { totals } = presentRemitPlan(facts, { from, payments: [], transactions: { first: 0, end: 1 }, priceByToken });
  expect(totals).toMatchObject({ profitable: false, profitableTransactions: 0, estimatedCostWei: "5", costWei: "5" });
});
