import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { dayToDate } from "@dueday/core/calendar/dates";
import type { ForecastPayment } from "@dueday/core/remit/forecastFromPlan";
import type { SelectedPayments, Selection } from "@dueday/core/remit/forecastView";
import type { PaymentFilter } from "@dueday/core/remit/paymentFilter";
import type { Address } from "viem";
import { expectToken } from "../reads/expectToken";
import type { RemitForecast } from "./readRemitForecast";

/** Days after today that `next30Days` covers. */
const MONTH_DAYS = 30;

/** The payments of a forecast that a filter asks for, by day; null where the forecast does not show its payments. */
export function presentSelection(read: RemitForecast, { accounts, providers, ids }: PaymentFilter): Selection | null {
  const { forecast, state } = read;
  if (forecast.payments === null) return null;
  const payments = forecast.payments.filter(({ id, subscriber, outcome }) => {
    if (outcome === "skipped" || outcome === "missed") return false;
    const provider = state.subscriptions.get(id)?.provider;
    return (
      (accounts?.has(subscriber) ?? true) &&
      (ids?.has(id) ?? true) &&
      (providers === null || (provider !== undefined && providers.has(provider)))
    );
  });
  const upTo = (last: number) => payments.filter(({ dayNumber }) => dayNumber <= last);
  const byDay = Map.groupBy(payments, ({ dayNumber }) => Math.max(dayNumber, state.today));
  return {
    next30Days: sumOf(upTo(state.today + MONTH_DAYS), read),
    backlog: sumOf(upTo(state.today), read),
    days: forecast.days.map(({ dayNumber }) => ({
      dayNumber,
      date: dayToDate(dayNumber),
      ...sumOf(byDay.get(dayNumber) ?? [], read),
    })),
  };
}

function sumOf(payments: readonly ForecastPayment[], { state, tokens }: RemitForecast): SelectedPayments {
  const byToken = new Map<Address, { units: bigint; payments: number }>();
  let failures = 0;
  for (const { id, outcome } of payments) {
    const subscription = state.subscriptions.get(id);
    if (subscription === undefined) throw new Error(`subscription ${id} was not read`);
    const fails = outcome === "fails_allowance" || outcome === "fails_balance";
    if (fails) failures++;
    const { units, payments: before } = byToken.get(subscription.token) ?? { units: 0n, payments: 0 };
    const { decimals } = expectToken(tokens, subscription.token);
    const paid = fails ? 0n : toTokenUnits(subscription.amount, decimals);
    byToken.set(subscription.token, { units: units + paid, payments: before + 1 });
  }
  return {
    payments: payments.length,
    expectedFailures: failures,
    byToken: [...byToken].map(([token, sum]) => ({
      ...tokenAmount(expectToken(tokens, token), sum.units),
      payments: sum.payments,
    })),
  };
}
