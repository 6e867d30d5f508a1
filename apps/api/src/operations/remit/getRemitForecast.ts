import { logPlanAlarm } from "@dueday/chain/remit/logPlanAlarm";
import { presentForecast } from "@dueday/chain/remit/presentForecast";
import { readRemitForecast } from "@dueday/chain/remit/readRemitForecast";
import { FORECAST_DAYS } from "@dueday/core/remit/forecastFromPlan";
import { ForecastView } from "@dueday/core/remit/forecastView";
import { readPaymentFilter } from "@dueday/core/remit/paymentFilter";
import { Type } from "@sinclair/typebox";
import { answerLiveOnce } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { liveRead } from "../../operation/chainRead";
import { defineOperation } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { filterInQuery } from "../subscriptions/filterInQuery";

export const getRemitForecast = defineOperation({
  ...liveRead,
  name: "get_remit_forecast",
  http: { method: "GET", path: "/remit/forecast" },
  summary: "Load of the next 35 days: payments, expected failures, transactions and fees by day",
  forAgents:
    "Expected payments, failures and transactions of each of the next 35 days, of all or of some accounts, providers or subscriptions",
  description:
    "What remit() will have to do on each of the next 35 days, and on the open days before them (backlog), if no account subscribes, " +
    "leaves or tops up meanwhile: balances, allowances and fee balances decrease from day to day, and a subscriber whose payment " +
    "fails is not charged again. selection has the payments that match account, provider and subscription, outlook the next due day and first failing payment of one account. The figures are " +
    "made by the plan of GET /remit/readiness, and by a model of the protocol from there on: where that plan is blocked, end and " +
    "blockedBy are the same here, and each day that is not charged for that reason has blocked: true.",
  bucket: "expensive",
  area: "remit",
  toolsets: ["read", "keeper"],
  input: Type.Object({
    ...filterInQuery,
    ...detailInQuery,
  }),
  summarized: {
    // account is the name of outlook in an earlier release.
    omits: [
      "account",
      "backlog.callerFees.amountRaw",
      "backlog.callerFees.tokenDecimals",
      "days.dayNumber",
      "days.callerFees",
    ],
  },
  output: chainAnswer(ForecastView.properties),
  example: { account: "0x1111111111111111111111111111111111111111" },
  deadlineMs: 60_000,
  async handler(context, input) {
    const filter = readPaymentFilter(input);
    const { config, remitState: stateCache } = context.chain;
    const { planCaller } = context.service.config;
    const { chainId, asOf, ...read } = await answerLiveOnce(context, "forecast", (client, block) =>
      readRemitForecast(client, {
        contract: config.contract,
        from: planCaller,
        block,
        stateCache,
        daysAhead: FORECAST_DAYS,
        onAlarm: (alarm) => logPlanAlarm(context.logger, alarm),
      }),
    );
    return { chainId, ...presentForecast(read, filter), asOf };
  },
});
