import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";

/** A plan of one transaction. */
export function testPlan(change: Partial<RemitReadiness> = {}): RemitReadiness {
  const fee: RemitReadiness["economics"]["callerFees"][number] = {
    token: "0x0000000000000000000000000000000000000001",
    symbol: "USDC",
    amount: "0.5",
    amountRaw: "500000",
    tokenDecimals: 6,
  };
  const economics = {
    callerFees: [fee],
    gasUsed: "90000",
    estimatedCostWei: "90000000000000",
    estimatedCostEth: "0.00009",
  };
  return {
    ready: true,
    reason: "due",
    from: "0x0000000000000000000000000000000000000002",
    currentDay: 20_001,
    nextUncheckedDay: 20_000,
    caughtUp: false,
    maxRemits: 5,
    totalSubscriptions: 1,
    totals: { transactions: 1, payments: 2, failures: 1, ...economics },
    totalPayments: 2,
    expectedFailures: 1,
    expectedTransactions: 1,
    days: [],
    plan: {
      source: "simulated",
      complete: true,
      end: "caught_up",
      transactions: [{ index: 0, closesDays: [20_000], payments: 2, failures: 1, gasUsed: "90000", callerFees: [fee] }],
    },
    economics,
    missed: [],
    warnings: [],
    issues: [],
    ...change,
  };
}
