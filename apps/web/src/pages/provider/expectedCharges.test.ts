import { expect, test } from "bun:test";
import type { Operations } from "@dueday/sdk";
import { expectedCharges } from "./expectedCharges";

type Created = Operations["getAccount"]["output"]["created"][number];

function plan(amount: string, frequency: number, totalSubscribers: number, nextDueDate: string | null): Created {
  const subscription = { token: "0x07", tokenSymbol: "USDC", tokenDecimals: 6, amount, frequency, cancelled: false };
  return { subscription, totalSubscribers, nextDueDate } as Created; // what the function reads of it
}

test.each([
  ["weekly, on five days", plan("1.5", 0, 2, "2026-09-01"), "15", 10],
  ["monthly, once", plan("10", 1, 3, "2026-09-30"), "30", 3],
  ["quarterly, today", plan("10", 2, 1, "2026-09-01"), "10", 1],
  ["yearly, on the last day", plan("100", 3, 1, "2026-10-01"), "100", 1],
])("%s: today or within the 30 days after 1 September", (_, created, amount, charges) => {
  expect(expectedCharges([created], "2026-09-01", 30)).toEqual([{ token: "0x07", symbol: "USDC", amount, charges }]);
});

test("a month of 28 days has two due days within 30", () => {
  expect(expectedCharges([plan("1", 1, 1, "2026-02-01")], "2026-02-01", 30)).toMatchObject([{ charges: 2 }]);
});

test("plans are added up by token; what is not due, paused or without subscribers is not expected", () => {
  const created = [
    plan("1", 1, 4, "2026-09-10"),
    plan("0.25", 1, 2, "2026-09-11"),
    plan("7", 1, 1, "2026-10-02"),
    plan("7", 1, 1, null),
    plan("7", 1, 0, "2026-09-02"),
  ];
  expect(expectedCharges(created, "2026-09-01", 30)).toMatchObject([{ amount: "4.5", charges: 6 }]);
  expect(expectedCharges([], "2026-09-01", 30)).toEqual([]);
});
