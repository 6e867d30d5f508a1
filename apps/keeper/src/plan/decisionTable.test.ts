import { expect, test } from "bun:test";
import type { RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import { createFakeChain } from "@dueday/keeper/test/fakeChain";
import { pagesOf, TOKEN } from "@dueday/keeper/test/fakeRemit";
import { account, truePlan } from "@dueday/keeper/test/startFakeKeeper";
import { decide } from "../decide/decide";
import { decisionTable } from "./decisionTable";
import { plannedRemits, planState } from "./plannedRemits";

const GWEI = 10n ** 9n;
const WIDTH = 80;

/** A plan of twelve transactions, of which the last one loses. */
function twelve(): RemitReadiness {
  const nets = Array.from({ length: 12 }, (_, index) => (index === 11 ? -5_000 : 10 ** (index % 6)));
  return truePlan(createFakeChain({ from: account.address, pages: pagesOf(...nets) }));
}

function tableAt(price: bigint | null, plan = twelve()): string[] {
  const decision = decide({
    plan: planState(plan),
    remits: plannedRemits(plan),
    earnedWei: 0n,
    lostWei: 0n,
    balanceWei: 10n ** 24n,
    prices: new Map(price === null ? [] : [[TOKEN, { wei: price, decimals: 0 }]]),
    market: { baseFee: 10n * GWEI, tip: GWEI, maxFee: 21n * GWEI, rollupFees: null },
    rules: { minProfitWei: price === null ? null : 0n, maxGasPrice: 100n * GWEI, maxLossWei: null, gasCap: null },
  });
  return decisionTable(plan, decision, 11n * GWEI).split("\n");
}

test("with prices, each row has fee, cost, net and cumulative net, and no row is wider than a terminal", () => {
  const lines = tableAt(GWEI);
  expect(lines[2]).toMatch(/^# +closes +payments +fee +cost +net +cumulative$/);
  expect(lines[3]).toMatch(/^1 +send +2024-10-04 +2 +1100001 +1100000 +1 +1$/);
  expect(lines[14]).toMatch(/^12 +- +2024-10-15 +2 +1095000 +1100000 +-5000 +117222$/);
  expect(lines.at(-1)).toStartWith("verdict: send: 11 of 12 transactions earn 0.000122222 ETH net");
  for (const line of lines.slice(0, -1)) expect(line.length).toBeLessThanOrEqual(WIDTH);
});

test("without prices, each row has its fees in tokens", () => {
  const lines = tableAt(null);
  expect(lines[2]).toMatch(/^# +closes +payments +cost +earns$/);
  expect(lines[3]).toMatch(/^1 +send +2024-10-04 +2 +1100000 +1100001 TKN$/);
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(WIDTH);
});

test("no escape code, line break or reversed text of the chain reaches the terminal", () => {
  const evil = "\u001b[2J\u202e\r\n\u009b31m\u2028\u200b\u{e0041}USDC";
  const fee = { token: TOKEN, symbol: evil, amount: "1", amountRaw: "1", tokenDecimals: 0 };
  // A service can send what its types exclude.
  const code = evil as never;
  const plan = twelve();
  const lines = tableAt(null, {
    ...plan,
    plan: { ...plan.plan, transactions: plan.plan.transactions.map((each) => ({ ...each, callerFees: [fee] })) },
    economics: { ...plan.economics, callerFees: [fee] },
    warnings: [{ code, message: evil }],
    issues: [{ code, message: evil }],
    reason: "blocked",
    blockedBy: { reason: "revert", revert: { code, name: code, message: evil } },
  });
  for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  expect(lines.length).toBe(tableAt(null, plan).length + 2);
});
