import { dayToDate } from "@dueday/core/calendar/dates";
import type { Selection } from "@dueday/core/remit/forecastView";
import type { PaymentFilter } from "@dueday/core/remit/paymentFilter";
import type { RemitForecast } from "./readRemitForecast";
import { sumPayments } from "./sumPayments";

/** Days after today that `next30Days` covers. */
const MONTH_DAYS = 30;

/** The payments of a forecast that a filter asks for, by day; null where the forecast does not show its payments. */
export function presentSelection(read: RemitForecast, { accounts, providers, ids }: PaymentFilter): Selection | null {
  const { forecast, state } = read;
  if (forecast.payments === null) return null;
  const payments = forecast.payments.filter(({ id, subscriber }) => {
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
    next30Days: sumPayments(upTo(state.today + MONTH_DAYS), read),
    backlog: sumPayments(upTo(state.today), read),
    days: forecast.days.map(({ dayNumber }) => ({
      dayNumber,
      date: dayToDate(dayNumber),
      ...sumPayments(byDay.get(dayNumber) ?? [], read),
    })),
  };
}
