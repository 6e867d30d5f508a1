import { expect, test } from "bun:test";
import { createFakeChain } from "@dueday/keeper/test/fakeChain";
import { pagesOf, TOKEN } from "@dueday/keeper/test/fakeRemit";
import { account, truePlan } from "@dueday/keeper/test/startFakeKeeper";
import { decide } from "../decide/decide";
import { decisionTable } from "./decisionTable";
import { plannedRemits, planState } from "./plannedRemits";

const GWEI = 10n ** 9n;
const WIDTH = 80;

/** The table of twelve transactions, of which the last one loses. */
function tableAt(price: bigint | null): string[] {
  const nets = Array.from({ length: 12 }, (_, index) => (index === 11 ? -5_000 : 10 ** (index % 6)));
  const plan = truePlan(createFakeChain({ from: account.address, pages: pagesOf(...nets) }));
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
