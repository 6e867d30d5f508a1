import { expectToken } from "@dueday/chain/reads/expectToken";
import type { TokenInfos } from "@dueday/chain/reads/readTokenInfos";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { dayToDate } from "@dueday/core/calendar/dates";
import { accountForecast, type Forecast, type Load } from "@dueday/core/remit/forecastRemits";
import { ForecastView } from "@dueday/core/remit/forecastView";
import { Address } from "@dueday/core/schema";
import { Type } from "@sinclair/typebox";
import { getAddress, type Address as HexAddress } from "viem";
import { answerLiveOnce } from "../../chains/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation, inQuery } from "../../operation/defineOperation";

const DAYS_AHEAD = 35;

export const getRemitForecast = defineOperation({
  name: "get_remit_forecast",
  http: { method: "GET", path: "/remit/forecast" },
  summary: "Load of the next 35 days: payments, expected failures, transactions and fees by day",
  description:
    "What remit() will have to do on each of the next 35 days, and on the open days before them (backlog), if nobody subscribes, " +
    "leaves or tops up meanwhile: balances, allowances and fee balances run down from day to day, and a subscriber who fails is " +
    "not charged again. With account it adds that subscriber's next due day and the first payment that will fail. The protocol's " +
    "pure model says all this; for the chain's own simulation of what is open now see GET /remit/plan.",
  chainScoped: true,
  bucket: "expensive",
  area: "remit",
  toolsets: ["read"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({
    account: inQuery(Type.Optional({ ...Address, description: "A subscriber whose next due day and runway are told" })),
  }),
  output: chainAnswer(ForecastView.properties),
  example: { account: "0x1111111111111111111111111111111111111111" },
  deadlineMs: 60_000,
  async handler(context, { account }) {
    const { config, remitState: stateCache } = context.chain;
    const { planCaller } = context.service.config;
    const { contract } = config;
    const { chainId, asOf, forecast, state, tokens } = await answerLiveOnce(context, "forecast", (client, block) =>
      readRemitForecast(client, { contract, from: planCaller, block, stateCache, daysAhead: DAYS_AHEAD }),
    );
    const { blockedBy, end } = forecast;
    return {
      chainId,
      currentDay: state.today,
      nextUncheckedDay: state.nextUncheckedDay,
      end,
      ...(blockedBy && { blockedBy: blockedBy.id }),
      backlog: presentLoad(forecast.backlog, tokens),
      days: forecast.days.map(({ dayNumber, ...load }) => ({
        ...{ dayNumber, date: dayToDate(dayNumber) },
        ...presentLoad(load, tokens),
      })),
      ...(account && { account: presentOutlook(getAddress(account), forecast) }),
      asOf,
    };
  },
});

function presentLoad({ failures, callerFees, ...load }: Load, tokens: TokenInfos) {
  return {
    ...load,
    expectedFailures: failures,
    callerFees: callerFees.map(({ token, units }) => tokenAmount(expectToken(tokens, token), units)),
  };
}

function presentOutlook(address: HexAddress, forecast: Forecast) {
  const { nextDueDay, coveredPayments, firstFailure } = accountForecast(address, forecast);
  const nextDueDate = nextDueDay === null ? null : dayToDate(nextDueDay);
  if (firstFailure === null) return { address, nextDueDate, coveredPayments };
  const { id: firstFailureId, dayNumber, outcome: firstFailureOutcome } = firstFailure;
  const firstFailureDate = dayToDate(dayNumber);
  return { address, nextDueDate, coveredPayments, firstFailureId, firstFailureDate, firstFailureOutcome };
}
