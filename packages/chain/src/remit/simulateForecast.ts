import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { type Forecast, type ForecastPayment, isStopped, toForecast } from "@dueday/core/remit/forecastRemits";
import type { HandledPayment } from "@dueday/core/remit/parseRemitLogs";
import type { Plan } from "@dueday/core/remit/plan";
import { planRemitInSlices } from "@dueday/core/remit/planRemit";
import { dueListsOn, type RemitState } from "@dueday/core/remit/state";
import type { ChainClient } from "../client/createChainClient";
import { findStoppingToken } from "./findStoppingToken";
import { judgeEnd } from "./matchModel";
import { type SimulatePlanParameters, simulatePlan } from "./simulatePlan";

export type SimulateForecastParameters = SimulatePlanParameters & { daysAhead: number };

/**
 * The forecast where a token does not do what the model says: the payments of `plan` are those of its simulation, and the days ahead are
 * simulated at the end of the last of them, since settling each day as it comes makes the same calls. What a token will do at another
 * time of day, nobody knows. Null for a plan that was not simulated. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function simulateForecast(
  client: ChainClient,
  { daysAhead, ...parameters }: SimulateForecastParameters,
  { state, plan }: { state: RemitState; plan: Plan },
): Promise<Forecast | null> {
  if (plan.source !== "simulated") return null;
  const { handled: open } = await simulatePlan(client, parameters);
  if (isStopped(plan.end) || plan.end === "limit" || daysAhead === 0) {
    return toForecast(state, daysAhead, plan, paymentsOf(state, plan, open));
  }
  const today = state.today + daysAhead;
  const ahead = { ...parameters, time: BigInt((today + 1) * DAY_SECONDS - 1) };
  const simulation = await simulatePlan(client, ahead);
  const stateAhead = { ...state, today };
  const judged = judgeEnd(simulation, await planRemitInSlices(stateAhead));
  const blockedBy = await findStoppingToken(client, ahead, { state: stateAhead, plan: judged });
  const later = judged.transactions.filter(({ day }) => day > state.today);
  const all = { ...judged, transactions: [...plan.transactions, ...later], ...(blockedBy && { blockedBy }) };
  const handled = [...open, ...simulation.handled.filter(({ dayNumber }) => dayNumber > state.today)];
  return toForecast(state, daysAhead, all, paymentsOf(state, all, handled));
}

/** The payments with the reasons of failures, and those of closed days that no call has met: the protocol's paging misses them. */
function paymentsOf(state: RemitState, { transactions }: Plan, handled: readonly HandledPayment[]): ForecastPayment[] {
  const payments: ForecastPayment[] = [];
  const left = new Set<string>();
  const byDay = Map.groupBy(handled, ({ dayNumber }) => dayNumber);
  const closed = new Set(transactions.flatMap(({ closesDays }) => closesDays));
  for (const day of new Set([...closed, ...byDay.keys()])) {
    const met = byDay.get(day) ?? [];
    for (const { outcome, ...payment } of met) {
      if (outcome === "failed") left.add(`${payment.id} ${payment.subscriber}`);
      payments.push({ ...payment, outcome: outcome === "failed" ? failureOf(state, payment) : outcome });
    }
    if (closed.has(day)) payments.push(...missedOf(state, day, new Set(met.map(({ id }) => id)), left));
  }
  return payments;
}

/** What `state` has too little of. A token that shows one thing and does another counts as one whose balance is too low. */
function failureOf(
  { subscriptions, tokens }: RemitState,
  { id, subscriber }: Pick<HandledPayment, "id" | "subscriber">,
) {
  const subscription = subscriptions.get(id);
  const token = subscription && tokens.get(subscription.token);
  if (subscription === undefined || token === undefined) return "fails_balance";
  const { allowance = 0n } = token.holdings.get(subscriber) ?? {};
  return allowance < toTokenUnits(subscription.amount, token.decimals) ? "fails_allowance" : "fails_balance";
}

function missedOf(
  state: RemitState,
  dayNumber: number,
  met: ReadonlySet<string>,
  left: ReadonlySet<string>,
): ForecastPayment[] {
  return dueListsOn(state, dayNumber).flatMap((ids) =>
    ids.flatMap((id) => {
      const subscription = state.subscriptions.get(id);
      if (subscription === undefined || met.has(id)) return [];
      const { token, cancelled, subscribers, unsubscribed } = subscription;
      if (cancelled || state.tokens.get(token)?.paused) return [];
      return subscribers
        .filter(({ subscriber }) => !unsubscribed.includes(subscriber) && !left.has(`${id} ${subscriber}`))
        .map(({ subscriber }) => ({ id, subscriber, dayNumber, outcome: "missed" as const }));
    }),
  );
}
