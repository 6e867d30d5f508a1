import { afterAll, expect, test } from "bun:test";
import { startDemoApi } from "@dueday/api/test/startDemoApi";
import { toFrequency } from "@dueday/core/calendar/frequency";
import { createDueday, quotePlan } from "@dueday/sdk";

const APPROVAL_PERIODS = 12;
const { api, devnet, stop } = await startDemoApi();
const dueday = createDueday({ baseUrl: api.url });

afterAll(stop);

test("the quote of each plan of the demo is what its checkout shows", async () => {
  const state = await dueday.getProtocolState();
  const open = [];
  for (const id of Object.values(devnet.subscriptions)) {
    const checkout = await dueday.getCheckout({ id, approvalPeriods: APPROVAL_PERIODS });
    const { subscription, initialCharge } = checkout;
    if (checkout.closed !== null) continue;
    const { amount, dueDay, tokenSymbol } = subscription;
    const token = { symbol: tokenSymbol, decimals: checkout.tokenDecimals };
    const frequency = toFrequency(subscription.frequency);
    const description = checkout.planName;
    const approvalPeriods = APPROVAL_PERIODS;
    const quote = quotePlan({ amount, token, frequency, dueDay, description, state, approvalPeriods });
    const { planName, chargeReason, dueBeforeToday, nextChargeDate, nextChargeAmount, approval, cover } = checkout;
    expect(quote).toEqual({
      planName,
      subscription: { amount, tokenSymbol, frequency },
      initialCharge: { total: initialCharge.total },
      chargeReason,
      dueBeforeToday,
      nextChargeDate,
      nextChargeAmount,
      approval,
      cover,
    });
    open.push(id);
  }
  expect(open.length).toBeGreaterThan(5);
});

test("a price that the token can't express is refused, and a plan without a description is named by its price", () => {
  const plan = { token: { symbol: "USDC", decimals: 6 }, frequency: 1, dueDay: 1, description: "" } as const;
  const state = { currentDay: 20_000, nextUncheckedDay: 20_000, callerFee: 10_200 };
  const quote = (amount: string) => quotePlan({ ...plan, amount, state, approvalPeriods: 1 });
  expect(() => quote("1.0000001")).toThrow("at most 6 decimals");
  expect(() => quote("ten")).toThrow('such as "12.50"');
  expect(quote("10").planName).toBe("10 USDC each month");
});
