import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { dayToDate } from "@dueday/core/calendar/dates";
import { accountForecast, type Forecast, type Load } from "@dueday/core/remit/forecastFromPlan";
import type { ForecastView } from "@dueday/core/remit/forecastView";
import type { PaymentFilter } from "@dueday/core/remit/paymentFilter";
import type { Address } from "viem";
import { expectToken } from "../reads/expectToken";
import type { TokenInfos } from "../reads/readTokenInfos";
import { presentBlockedBy } from "./presentPlan";
import { presentSelection } from "./presentSelection";
import type { RemitForecast } from "./readRemitForecast";

/** A forecast as answers show it; with a filter also the payments that it selects, and for a filter of one account its outlook. */
export function presentForecast(read: RemitForecast, filter: PaymentFilter | null): ForecastView {
  const { forecast, state, tokens } = read;
  const [account = null, ...more] = filter?.accounts ?? [];
  const { end, backlog, days } = forecast;
  const blockedBy = presentBlockedBy(forecast.revert, forecast.blockedBy);
  return {
    currentDay: state.today,
    nextUncheckedDay: state.nextUncheckedDay,
    end,
    ...(blockedBy && { blockedBy }),
    backlog: presentLoad(backlog, tokens),
    days: days.map(({ dayNumber, blocked, ...load }) => ({
      dayNumber,
      date: dayToDate(dayNumber),
      blocked,
      ...presentLoad(load, tokens),
    })),
    ...(filter && { selection: presentSelection(read, filter) }),
    ...(account && more.length === 0 && presentOutlook(account, forecast)),
  };
}

function presentLoad({ failures, callerFees, ...load }: Load, tokens: TokenInfos) {
  return {
    ...load,
    expectedFailures: failures,
    callerFees: callerFees.map(({ token, units }) => tokenAmount(expectToken(tokens, token), units)),
  };
}

/** Under `outlook`, and under its old name `account`, which other answers use for an address. */
function presentOutlook(account: Address, forecast: Forecast) {
  const { nextDueDay, coveredPayments, firstFailure } = accountForecast(account, forecast);
  const outlook = {
    nextDueDate: nextDueDay === null ? null : dayToDate(nextDueDay),
    coveredPayments,
    ...(firstFailure && {
      firstFailureId: firstFailure.id,
      firstFailureDate: dayToDate(firstFailure.dayNumber),
      firstFailureOutcome: firstFailure.outcome,
    }),
  };
  return { outlook: { account, ...outlook }, account: { address: account, ...outlook } };
}
