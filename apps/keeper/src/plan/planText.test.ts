import { expect, test } from "bun:test";
import { testPlan } from "@dueday/keeper/test/testPlan";
import { daysText, planTable, summary } from "./planText";

test("the table has one row for each transaction and the sums", () => {
  const text = planTable(testPlan());
  expect(text).toMatch(/^due since 2024-10-04: 2 payments \(1 will fail\) in 1 transactions/);
  expect(text).toMatch(/\n1 +2024-10-04 +2 +1 +90000 +0.5 USDC\n/);
  expect(text).toContain("in all: gas 90000, about 0.00009 ETH");
});

test("no escape code, line break or reversed text of the chain reaches the terminal", () => {
  const evil = "\u001b[2J\u202e\r\n\u009b31m\u2028\u200b\u{e0041}USDC";
  const fee = { token: `0x${"0".repeat(40)}`, symbol: evil, amount: "1", amountRaw: "1", tokenDecimals: 0 };
  // A service can send what its types exclude.
  const code = evil as never;
  const revert = { code, name: code, message: evil };
  const plan = testPlan();
  const text = planTable({
    ...plan,
    economics: { ...plan.economics, callerFees: [fee] },
    warnings: [{ code, message: evil }],
    issues: [{ code, message: evil }],
  });
  const lines = `${text}\n${summary({ ...plan, reason: "blocked", blockedBy: { reason: "revert", revert } })}`.split(
    "\n",
  );
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(lines.length).toBe(planTable(plan).split("\n").length + 3);
});

test("a long run of days is shortened to its ends", () => {
  expect(daysText([20_000, 20_001, 20_002, 20_003])).toBe("2024-10-04 .. 2024-10-07 (4 days)");
  expect(daysText([])).toBe("-");
});
