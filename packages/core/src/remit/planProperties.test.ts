import { expect, test } from "bun:test";
import { arbitraryRemitState } from "@dueday/core/test/arbitraryRemitState";
import { stateAfterRemits } from "@dueday/core/test/stateAfterRemits";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import type { Address } from "viem";
import { type ModelledPlan, planRemit, traceRemits } from "./planRemit";
import type { RemitState } from "./state";

const RUNS = { numRuns: 300 * testDepth };

test("the generated states reach every end, every outcome and every lost fee", () => {
  const plans = fc.sample(arbitraryRemitState, { numRuns: 3000, seed: 7 }).map((state) => planRemit(state));
  expect(new Set(plans.map(({ end }) => end))).toEqual(new Set(["caught_up", "blocked", "no_progress"]));
  expect(new Set(plans.flatMap(({ details }) => details.payments.map(({ outcome }) => outcome))).size).toBe(6);
  expect(new Set(plans.flatMap(({ details }) => details.unpaidFees.map(({ reason }) => reason))).size).toBe(3);
});

test("planning changes nothing of the state that it is given", () => {
  fc.assert(
    fc.property(arbitraryRemitState, (state) => {
      const before = structuredClone(state);
      const plan = planRemit(state);
      traceRemits(state);
      stateAfterRemits(state, plan.transactions.length);
      expect(state).toEqual(before);
    }),
    RUNS,
  );
});

test("a plan does not depend on the order in which maps were filled", () => {
  fc.assert(
    fc.property(arbitraryRemitState, (state) => {
      const reversed = {
        ...state,
        dueLists: reverse(state.dueLists),
        subscriptions: reverse(state.subscriptions),
        tokens: new Map(
          [...reverse(state.tokens)].map(([address, token]) => [
            address,
            { ...token, holdings: reverse(token.holdings), blocked: reverse(token.blocked) },
          ]),
        ),
      };
      expect(planRemit(reversed)).toEqual(planRemit(state));
      expect(traceRemits(reversed)).toEqual(traceRemits(state));
    }),
    RUNS,
  );
});

test("planning in two halves equals planning at once", () => {
  fc.assert(
    fc.property(arbitraryRemitState, fc.double({ min: 0, max: 1, noNaN: true }), (state, share) => {
      const whole = planRemit(state);
      const count = Math.floor(whole.transactions.length * share);
      const rest = stateAfterRemits(state, count);
      expect(join(planRemit(state, { maxTransactions: count }), planRemit(rest))).toEqual(whole);
      expect([...traceRemits(state).slice(0, count), ...traceRemits(rest)]).toEqual(traceRemits(state));
    }),
    RUNS,
  );
});

test("tokens move only as the plan's Transfers do: none appear, none vanish", () => {
  fc.assert(
    fc.property(arbitraryRemitState, (state) => {
      const { transactions } = planRemit(state);
      const events = traceRemits(state).slice(0, transactions.length).flat();
      const after = stateAfterRemits(state, transactions.length);
      for (const [address, token] of state.tokens) {
        const balances = balancesOf(state, address);
        for (const event of events) {
          if (event.event !== "Transfer" || event.token !== address) continue;
          add(balances, event.from, -event.value);
          add(balances, event.to, event.value);
        }
        const left = balancesOf(after, address);
        for (const [account, balance] of balances) expect(left.get(account) ?? 0n).toBe(balance);
        expect(sum(left.values())).toBe(sum(balancesOf(state, address).values()));
        for (const { balance, allowance } of after.tokens.get(address)?.holdings.values() ?? []) {
          expect(balance >= 0n && allowance >= 0n).toBe(true);
        }
        for (const [account, { allowance }] of token.holdings) {
          const taken = events
            .filter((event) => event.event === "Transfer" && event.token === address && event.from === account)
            .map((event) => (event.event === "Transfer" ? event.value : 0n));
          expect(after.tokens.get(address)?.holdings.get(account)?.allowance).toBe(allowance - sum(taken));
        }
      }
    }),
    RUNS,
  );
});

test("the payments of a plan add up to its transactions, and the caller's part of each to no more than its fees", () => {
  fc.assert(
    fc.property(arbitraryRemitState, (state) => {
      const { transactions, details } = planRemit(state);
      for (const [index, transaction] of transactions.entries()) {
        const handled = details.payments.filter(
          (each) => each.transaction === index && each.outcome !== "skipped" && each.outcome !== "missed",
        );
        const failed = handled.filter(({ outcome }) => outcome.startsWith("fails_"));
        expect([handled.length, failed.length]).toEqual([transaction.payments, transaction.failures]);
        expect(handled.length).toBeLessThanOrEqual(state.maxRemits);
        for (const { token } of transaction.callerFees) {
          const shown = handled.filter(({ id }) => state.subscriptions.get(id)?.token === token);
          const received = transaction.callerFees.find((fee) => fee.token === token)?.units ?? 0n;
          expect(sum(shown.map(({ callerFee }) => callerFee)) <= received).toBe(true);
        }
      }
    }),
    RUNS,
  );
});

test("no subscriber is charged twice for one day, or charged and missed", () => {
  fc.assert(
    fc.property(arbitraryRemitState, (state) => {
      const met = planRemit(state).details.payments.map(
        ({ id, subscriber, dayNumber }) => `${id} ${subscriber} ${dayNumber}`,
      );
      expect(new Set(met).size).toBe(met.length);
    }),
    RUNS,
  );
});

function reverse<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
  return new Map([...map].reverse());
}

function join(first: ModelledPlan, second: ModelledPlan): ModelledPlan {
  const shift = first.transactions.length;
  const shifted = <T extends { transaction: number }>(each: T): T => ({
    ...each,
    transaction: each.transaction + shift,
  });
  return {
    ...second,
    transactions: [...first.transactions, ...second.transactions],
    details: {
      ...second.details,
      state: first.details.state,
      payments: [...first.details.payments, ...second.details.payments.map(shifted)],
      missed: [...first.details.missed, ...second.details.missed],
      unpaidFees: [...first.details.unpaidFees, ...second.details.unpaidFees.map(shifted)],
    },
  };
}

function balancesOf(state: RemitState, address: Address): Map<Address, bigint> {
  const token = state.tokens.get(address);
  const balances = new Map<Address, bigint>([[state.protocol, token?.protocolBalance ?? 0n]]);
  for (const [account, { balance }] of token?.holdings ?? []) balances.set(account, balance);
  return balances;
}

function add(balances: Map<Address, bigint>, account: Address, units: bigint): void {
  balances.set(account, (balances.get(account) ?? 0n) + units);
}

function sum(values: Iterable<bigint>): bigint {
  let total = 0n;
  for (const value of values) total += value;
  return total;
}
