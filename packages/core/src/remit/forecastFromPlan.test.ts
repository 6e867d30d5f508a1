import { expect, test } from "bun:test";
import { arbitraryRemitState } from "@dueday/core/test/arbitraryRemitState";
import { MONDAY, remitState, TOKEN, WHOLE } from "@dueday/core/test/remitState";
import { stateAfterRemits } from "@dueday/core/test/stateAfterRemits";
import { testDepth } from "@dueday/test-support/testDepth";
import fc from "fast-check";
import { accountForecast, type Forecast, forecastFromPlan, planDaysAhead } from "./forecastFromPlan";
import { planRemit } from "./planRemit";
import type { RemitState } from "./state";

const weekly = { id: "0x1", frequency: 0, subscribers: ["0xa", "0xb"] } as const;

/** Two pay weekly; one of them has enough for two payments. */
const state = remitState([{ ...weekly, subscribers: [...weekly.subscribers] }], {
  token: {
    holdings: new Map([
      ["0xa", { balance: 1000n * WHOLE, allowance: 1000n * WHOLE }],
      ["0xb", { balance: 1000n * WHOLE, allowance: 25n * WHOLE }],
    ]),
  },
});

async function forecastOf(begin: RemitState, daysAhead: number): Promise<Forecast> {
  return forecastFromPlan(begin, daysAhead, await planDaysAhead(begin, daysAhead, planRemit(begin)));
}

test("failures come where allowances run down, and who failed is not charged again", async () => {
  const { backlog, days } = await forecastOf(state, 35);
  expect(backlog).toMatchObject({ subscriptions: 1, payments: 2, failures: 0, transactions: 1 });
  const due = days.filter(({ payments }) => payments > 0);
  expect(due.map(({ dayNumber, payments, failures }) => [dayNumber - MONDAY, payments, failures])).toEqual([
    [7, 2, 0],
    [14, 2, 1],
    [21, 1, 0],
    [28, 1, 0],
    [35, 1, 0],
  ]);
  expect(days).toHaveLength(35);
});

test("an account's forecast has its next due day and its first failure", async () => {
  const forecast = await forecastOf(state, 35);
  expect(accountForecast("0xa", forecast)).toEqual({ nextDueDay: MONDAY, coveredPayments: 6, firstFailure: null });
  expect(accountForecast("0xb", forecast)).toMatchObject({
    nextDueDay: MONDAY,
    coveredPayments: 2,
    firstFailure: { dayNumber: MONDAY + 14, outcome: "fails_allowance" },
  });
  expect(accountForecast("0xnobody", forecast)).toEqual({ nextDueDay: null, coveredPayments: 0, firstFailure: null });
});

test("fees by token are those of the day's transactions", async () => {
  const [first] = (await forecastOf(state, 7)).days.filter(({ payments }) => payments > 0);
  expect(first?.callerFees).toEqual([{ token: TOKEN, units: WHOLE / 5n }]);
});

test("a keeper who settles day by day does what the forecast predicts", async () => {
  await fc.assert(
    fc.asyncProperty(arbitraryRemitState, async (begin) => {
      const forecast = await forecastOf(begin, 6);
      if (forecast.end !== "caught_up") return;
      let day = planRemit(begin);
      let now = stateAfterRemits(begin, day.transactions.length);
      const transactions = [...day.transactions];
      for (let ahead = 1; ahead <= 6; ahead++) {
        now = { ...now, today: begin.today + ahead };
        day = planRemit(now);
        transactions.push(...day.transactions);
        now = stateAfterRemits(now, day.transactions.length);
      }
      const count = forecast.days.reduce((sum, each) => sum + each.transactions, forecast.backlog.transactions);
      expect(transactions.length).toBe(count);
      const payments = (of: number) =>
        transactions.filter(({ day }) => day === of).reduce((sum, each) => sum + each.payments, 0);
      for (const { dayNumber, payments: expected } of forecast.days) expect(payments(dayNumber)).toBe(expected);
    }),
    { numRuns: 200 * testDepth },
  );
});
