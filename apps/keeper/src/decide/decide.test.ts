import { expect, test } from "bun:test";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { getAddress } from "viem";
import { type Decision, type DecisionInput, decide } from "./decide";

const TOKEN = getAddress(`0x${"a1".repeat(20)}`);
const OTHER = getAddress(`0x${"b2".repeat(20)}`);
/** A unit of the token is a wei, so that fees can be written down as wei. */
const prices: DecisionInput["prices"] = new Map([[TOKEN, { wei: 1n, decimals: 0 }]]);
const market = { baseFee: 9n, tip: 1n, maxFee: 19n, rollupFees: null };

function input(fees: readonly number[], change: Partial<DecisionInput> = {}): DecisionInput {
  return {
    plan: { state: "due" },
    remits: fees.map((units) => ({ gas: 100n, fees: [{ token: TOKEN, units: BigInt(units) }] })),
    prices,
    market,
    balanceWei: 10n ** 18n,
    earnedWei: 0n,
    lostWei: 0n,
    ...change,
    rules: { minProfitWei: 0n, maxGasPrice: 100n, maxLossWei: null, gasCap: null, ...change.rules },
  };
}

/** What a hundred units of gas cost in this market. */
const COST = 1_000;

test("a backlog that loses as a whole is sent as far as its sum is highest, over transactions that lose by themselves", () => {
  const decision = decide(input([COST - 50, COST + 300, COST - 10, COST + 40, COST + 5, COST - 900, COST + 100]));
  expect(decision).toMatchObject({ action: "send", count: 5 });
  expect(decision.rows.map(({ cumulativeWei }) => Number(cumulativeWei))).toEqual([
    -50, 250, 240, 280, 285, -615, -515,
  ]);
});

test("below the least profit nothing is sent; what was earned already counts", () => {
  const rules = { minProfitWei: 100n, maxGasPrice: 100n, maxLossWei: null, gasCap: null };
  expect(decide(input([COST + 100], { rules }))).toMatchObject({ action: "send", count: 1 });
  expect(decide(input([COST + 99], { rules }))).toMatchObject({ action: "wait", why: "unprofitable" });
  expect(decide(input([COST + 1], { rules, earnedWei: 99n }))).toMatchObject({ action: "send", count: 1 });
  expect(decide(input([COST], { rules, earnedWei: 500n }))).toMatchObject({ action: "wait", why: "unprofitable" });
});

test("without a least profit everything is sent, within the gas price and the gas of one transaction", () => {
  const rules = { minProfitWei: null, maxGasPrice: 10n, maxLossWei: null, gasCap: 100n };
  expect(decide(input([0, 0], { rules }))).toMatchObject({ action: "send", count: 2 });
  expect(decide(input([0], { rules: { ...rules, maxGasPrice: 9n } }))).toMatchObject({
    action: "wait",
    why: "gas_price",
  });
  expect(decide(input([0], { rules: { ...rules, gasCap: 99n } }))).toMatchObject({ action: "stop", why: "gas_cap" });
});

test("a plan that is blocked after some good transactions is sent up to there, and stops without any", () => {
  const plan = { state: "blocked", reason: "token paused" } as const;
  expect(decide(input([COST + 1], { plan }))).toMatchObject({ action: "send", count: 1 });
  expect(decide(input([], { plan }))).toMatchObject({ action: "stop", why: "blocked", reason: "token paused" });
  expect(decide(input([]))).toMatchObject({ action: "wait", why: "idle" });
});

test("a balance below the first gas limit stops; one that pays for some sends these, if they are worth it", () => {
  // The limit is a fifth above the gas, and has to be covered at the current price.
  expect(decide(input([2_000, 2_000], { balanceWei: 1_199n }))).toMatchObject({ action: "stop", why: "out_of_gas" });
  expect(decide(input([2_000, 2_000], { balanceWei: 1_200n }))).toMatchObject({ action: "send", count: 1 });
  expect(decide(input([2_000, 2_000], { balanceWei: 2_200n }))).toMatchObject({ action: "send", count: 2 });
  expect(decide(input([0, 9_000], { balanceWei: 1_200n }))).toMatchObject({ action: "stop", why: "out_of_gas" });
});

test("the reason names what limits the number of transactions: the sum, the balance, or the gas of one", () => {
  const reasonOf = (change: Partial<DecisionInput>) => decide(input([2_000, 2_000, 10], change)).reason;
  expect(reasonOf({})).toContain("2 of 3 transactions earn");
  expect(reasonOf({})).toEndWith("the others would lower the sum");
  expect(reasonOf({ balanceWei: 1_200n })).toEndWith("the balance does not pay for more");
  const rules = { minProfitWei: null, maxGasPrice: 100n, maxLossWei: null, gasCap: 100n };
  const remits = [100n, 101n].map((gas) => ({ gas, fees: [] }));
  expect(reasonOf({ rules })).toBe("3 of 3 transactions, whatever they earn");
  expect(reasonOf({ rules, balanceWei: 1_200n })).toEndWith("the balance does not pay for more");
  expect(reasonOf({ rules, remits })).toEndWith("the next one needs more gas than a transaction may have");
});

test("a fee without a price counts as nothing, and is named where it would have decided", () => {
  const remits = [{ gas: 100n, fees: [{ token: OTHER, units: 10n ** 30n }] }];
  expect(decide(input([], { remits }))).toMatchObject({
    action: "wait",
    why: "no_price",
    reason: expect.stringContaining(OTHER),
  });
});

const cases = fc.record({
  fees: fc.array(fc.nat(5_000), { maxLength: 12 }),
  gas: fc.array(fc.bigInt(1n, 400n), { minLength: 12, maxLength: 12 }),
  baseFee: fc.bigInt(0n, 30n),
  tip: fc.bigInt(0n, 5n),
  minProfitWei: fc.option(fc.bigInt(0n, 3_000n)),
  maxGasPrice: fc.bigInt(1n, 60n),
  gasCap: fc.option(fc.bigInt(50n, 500n)),
  maxLossWei: fc.option(fc.bigInt(0n, 30_000n)),
  lostWei: fc.bigInt(0n, 10_000n),
  balanceWei: fc.bigInt(0n, 30_000n),
  earnedWei: fc.bigInt(-2_000n, 2_000n),
});

function toInput({
  fees,
  gas,
  baseFee,
  tip,
  balanceWei,
  earnedWei,
  lostWei,
  ...rules
}: typeof cases extends fc.Arbitrary<infer T> ? T : never) {
  const remits = fees.map((units, index) => ({
    gas: gas[index] ?? 1n,
    fees: [{ token: TOKEN, units: BigInt(units) }],
  }));
  const market = { baseFee, tip, maxFee: 2n * baseFee + tip, rollupFees: null };
  return input([], { remits, market, rules, balanceWei, earnedWei, lostWei });
}

/** Net of the first `count` transactions when each unit of gas costs `price`. */
function netAt(decision: Decision, count: number, price: bigint): bigint {
  return decision.rows.slice(0, count).reduce((net, { feesWei, gas }) => net + feesWei - gas * price, 0n);
}

test("what is sent is the best prefix, keeps every limit even at the price that is signed, and nothing better was possible", () => {
  fc.assert(
    fc.property(cases.map(toInput), (given) => {
      const decision = decide(given);
      const { rules, market: at, balanceWei, earnedWei, lostWei } = given;
      const price = at.baseFee + at.tip;
      const least = rules.minProfitWei;
      if (decision.action === "send") {
        const { count, fees, rows } = decision;
        expect(fees.maxFeePerGas).toBeLessThanOrEqual(rules.maxGasPrice);
        expect(fees.maxFeePerGas).toBeGreaterThanOrEqual(price);
        expect(fees.maxPriorityFeePerGas).toBeLessThanOrEqual(fees.maxFeePerGas);
        expect((rows[0]?.gasLimit ?? 0n) * fees.maxFeePerGas).toBeLessThanOrEqual(balanceWei);
        const mostLost = rules.maxLossWei ?? 5n * (rows[0]?.costWei ?? 0n);
        expect(lostWei + (rows[0]?.gasLimit ?? 0n) * fees.maxFeePerGas).toBeLessThanOrEqual(mostLost);
        for (const { gas } of rows.slice(0, count)) expect(gas).toBeLessThanOrEqual(rules.gasCap ?? gas);
        if (least !== null) {
          expect(earnedWei + netAt(decision, count, fees.maxFeePerGas)).toBeGreaterThanOrEqual(least);
          for (let shorter = 0; shorter < count; shorter++) {
            expect(netAt(decision, shorter, price)).toBeLessThan(netAt(decision, count, price));
          }
        }
      } else if (decision.action === "wait" && decision.why === "unprofitable") {
        const possible = decision.rows.findIndex(({ gas }) => gas > (rules.gasCap ?? gas));
        const most = possible === -1 ? decision.rows.length : possible;
        for (let count = 1; count <= most; count++) {
          const net = netAt(decision, count, price);
          expect(net <= 0n || earnedWei + net < (least ?? 0n)).toBe(true);
        }
      }
    }),
    { numRuns: 2_000 * testDepth },
  );
});

test("more profit asked for never sends more, and more balance never sends less", () => {
  const countOf = (decision: Decision) => (decision.action === "send" ? decision.count : 0);
  fc.assert(
    fc.property(cases.map(toInput), fc.bigInt(1n, 2_000n), (given, more) => {
      const count = countOf(decide(given));
      const { minProfitWei } = given.rules;
      const greedy = { ...given, rules: { ...given.rules, minProfitWei: (minProfitWei ?? 0n) + more } };
      expect(countOf(decide(greedy))).toBeLessThanOrEqual(count);
      expect(countOf(decide({ ...given, balanceWei: given.balanceWei + more }))).toBeGreaterThanOrEqual(count);
    }),
    { numRuns: 1_000 * testDepth },
  );
});
