import { expect, test } from "bun:test";
import { DUE_LIST_LIMIT } from "@dueday/core/paging";
import type { DueDay, DueSubscription } from "@dueday/core/snapshots/dueDay";
import { presentDueDay } from "./presentDueDay";

const subscription: DueSubscription = {
  id: `0x${"ab".repeat(32)}`,
  provider: "0x1111111111111111111111111111111111111111",
  token: "0x2222222222222222222222222222222222222222",
  tokenSymbol: "TKN",
  amount: "1",
  amountRaw: "1",
  tokenDecimals: 0,
  frequency: 0,
  frequencyLabel: "WEEKLY",
  dueDay: 5,
  cancelled: false,
  subscribers: 1,
  payments: 1,
  state: "open",
  chargeable: true,
};
const sums = {
  totals: { subscriptions: 9_000, payments: 9_000, expectedFailures: 0, byToken: [] },
  settled: { payments: 0, failures: 0, byToken: [] },
  missed: { subscriptions: 0, payments: 0, byToken: [] },
};
const day: DueDay = {
  dayNumber: 20_777,
  date: "2026-11-20",
  dayState: "open",
  lists: [
    {
      frequency: 0,
      frequencyLabel: "WEEKLY",
      dueDay: 5,
      skipped: false,
      count: 9_000,
      subscriptions: Array.from({ length: DUE_LIST_LIMIT }, () => subscription),
      ...sums,
    },
  ],
  ...sums,
};

test("a list that is longer than any page reaches counts whole, and names no page that would be refused", () => {
  const show = (skip: number) => presentDueDay(day, { frequency: undefined, first: 50, skip }).results[0];
  expect(show(0)).toMatchObject({ count: 9_000, hasMore: true, nextSkip: 50 });
  expect(show(4_950)).toMatchObject({ count: 9_000, hasMore: true, nextSkip: 5_000 });
  const last = show(5_000);
  expect(last).toMatchObject({ count: 9_000, hasMore: false });
  expect(last).not.toHaveProperty("nextSkip");
  expect(last?.subscriptionIds).toHaveLength(50);
});
