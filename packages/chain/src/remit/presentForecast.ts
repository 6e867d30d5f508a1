import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { dayToDate } from "@dueday/core/calendar/dates";
import { accountForecast, type Forecast, type Load } from "@dueday/core/remit/forecastRemits";
import type { ForecastView } from "@dueday/core/remit/forecastView";
import type { Address } from "viem";
import { expectToken } from "../reads/expectToken";
import type { TokenInfos } from "../reads/readTokenInfos";
import type { readRemitForecast } from "./readRemitForecast";

/** A forecast as answers show it; with `account`, that subscriber's outlook too. */
export function presentForecast(
  { forecast, state, tokens }: Awaited<ReturnType<typeof readRemitForecast>>,
  account: Address | null,
): ForecastView {
  const { blockedBy, end, backlog, days } = forecast;
  return {
    currentDay: state.today,
    nextUncheckedDay: state.nextUncheckedDay,
    end,
    ...(blockedBy && { blockedBy: blockedBy.id }),
    backlog: presentLoad(backlog, tokens),
    days: days.map(({ dayNumber, ...load }) => ({
      ...{ dayNumber, date: dayToDate(dayNumber) },
      ...presentLoad(load, tokens),
    })),
    ...(account && { account: presentOutlook(account, forecast) }),
  };
}

function presentLoad({ failures, callerFees, ...load }: Load, tokens: TokenInfos) {
  return {
    ...load,
    expectedFailures: failures,
    callerFees: callerFees.map(({ token, units }) => tokenAmount(expectToken(tokens, token), units)),
  };
}

function presentOutlook(address: Address, forecast: Forecast) {
  const { nextDueDay, coveredPayments, firstFailure } = accountForecast(address, forecast);
  const nextDueDate = nextDueDay === null ? null : dayToDate(nextDueDay);
  if (firstFailure === null) return { address, nextDueDate, coveredPayments };
  const { id: firstFailureId, dayNumber, outcome: firstFailureOutcome } = firstFailure;
  const firstFailureDate = dayToDate(dayNumber);
  return { address, nextDueDate, coveredPayments, firstFailureId, firstFailureDate, firstFailureOutcome };
}
