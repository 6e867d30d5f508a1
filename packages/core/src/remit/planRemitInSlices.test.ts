import { expect, test } from "bun:test";
import { arbitraryRemitState } from "@dueday/core/test/arbitraryRemitState";
import { MONDAY, remitState, WHOLE } from "@dueday/core/test/remitState";
import fc from "fast-check";
import { type Address, numberToHex } from "viem";
import { type Forecast, forecastFromPlan, planDaysAhead } from "./forecastFromPlan";
import { planRemit, planRemitInSlices } from "./planRemit";
import type { Holding, RemitState } from "./state";

function forecastAtOnce(state: RemitState): Forecast {
  const plan = planRemit({ ...state, today: state.today + 35 });
  return forecastFromPlan(state, 35, { plan, payments: plan.details.payments });
}

test("a plan made in slices is the plan made at once", async () => {
  for (const state of fc.sample(arbitraryRemitState, { numRuns: 200, seed: 3 })) {
    const { details, ...plan } = await planRemitInSlices(state);
    const { takeWorking: _, ...found } = details;
    expect({ ...plan, details: found }).toEqual(planRemit(state));
    const atOnce = forecastAtOnce(state);
    expect(forecastFromPlan(state, 35, await planDaysAhead(state, 35, planRemit(state)))).toEqual(atOnce);
  }
});

test("a forecast that goes on where a plan has ended is the forecast made at once, and a second one too", async () => {
  for (const state of fc.sample(arbitraryRemitState, { numRuns: 200, seed: 4 })) {
    const atOnce = forecastAtOnce(state);
    const plan = await planRemitInSlices(state);
    expect(forecastFromPlan(state, 35, await planDaysAhead(state, 35, plan))).toEqual(atOnce);
    expect(forecastFromPlan(state, 35, await planDaysAhead(state, 35, plan))).toEqual(atOnce);
  }
});

test("other work has its turn while a backlog of 3,000 days and 400 subscribers is planned", async () => {
  const subscribers = Array.from({ length: 400 }, (_, index): Address => numberToHex(index + 1, { size: 20 }));
  const holding: Holding = { balance: WHOLE * 10n ** 9n, allowance: WHOLE * 10n ** 9n };
  const state = remitState([{ id: "0xweekly", frequency: 0, subscribers }], {
    maxRemits: 400,
    nextUncheckedDay: MONDAY - 3_000,
    token: {
      protocolBalance: WHOLE * 10n ** 9n,
      holdings: new Map(subscribers.map((subscriber) => [subscriber, holding])),
    },
  });
  let turns = 0;
  let isPlanning = true;
  const takeTurns = () => {
    turns++;
    if (isPlanning) setImmediate(takeTurns);
  };
  setImmediate(takeTurns);
  const started = process.cpuUsage();
  const plan = await planRemitInSlices(state);
  isPlanning = false;
  // Its own time: another program's turn is not a long slice.
  const { user, system } = process.cpuUsage(started);
  expect(plan.transactions).toHaveLength(429);
  expect(plan.details.payments.length).toBe(429 * 400);
  expect(turns).toBeGreaterThan(3);
  expect(turns).toBeGreaterThan((user + system) / 1_000 / 100);
});
