import { expect, test } from "bun:test";
import type { Plan, PlannedTransaction } from "@dueday/core/remit/plan";
import { reasonRevert } from "@dueday/core/reverts/reasonRevert";
import { zeroAddress } from "viem";
import { comparePlans } from "./comparePlans";

// A field that is not compared at all fails to compile: `Comparisons` in comparePlans.ts has an entry for each.

const transaction: PlannedTransaction = {
  closesDays: [1, 2],
  day: 2,
  payments: 3,
  failures: 1,
  callerFees: [{ token: zeroAddress, units: 5n }],
  gas: { used: 100_000n, source: "simulated" },
};
const plan: Plan = {
  source: "simulated",
  complete: true,
  end: "blocked",
  revert: reasonRevert("blocked"),
  transactions: [transaction, transaction],
  details: null,
};
const modelled: Plan = {
  ...plan,
  source: "modelled",
  transactions: plan.transactions.map((each) => ({ ...each, gas: null })),
};

test("plans that differ in source and gas alone agree", () => {
  expect(comparePlans(plan, modelled)).toBeNull();
});

test("a difference in any compared field is found, with the index of its transaction", () => {
  const changes: Partial<PlannedTransaction>[] = [
    { closesDays: [1] },
    { day: 3 },
    { payments: 4 },
    { failures: 0 },
    { callerFees: [] },
    { callerFees: [{ token: zeroAddress, units: 6n }] },
  ];
  for (const change of changes) {
    const transactions = [transaction, { ...transaction, ...change }];
    expect(comparePlans(plan, { ...modelled, transactions })).toMatchObject({ transaction: 1 });
  }
  for (const change of [{ end: "no_progress" }, { revert: reasonRevert("10") }] as const) {
    expect(comparePlans(plan, { ...modelled, ...change })).toMatchObject({ transaction: 2 });
  }
});

test("a model that ends before the simulation, or goes on after it, differs", () => {
  expect(comparePlans(plan, { ...modelled, transactions: [transaction] })).toMatchObject({ transaction: 1 });
  const longer = { ...modelled, transactions: [transaction, transaction, transaction] };
  expect(comparePlans(plan, longer)).toMatchObject({ transaction: 2 });
  expect(comparePlans({ ...plan, complete: false, end: "limit" }, longer)).toBeNull();
});
