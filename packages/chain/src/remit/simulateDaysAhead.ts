import { lesser } from "@dueday/core/amounts/lesser";
import { toTokenUnits } from "@dueday/core/amounts/tokenUnits";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { type ForecastPayment, isStopped, type PlanAhead } from "@dueday/core/remit/forecastFromPlan";
import type { HandledPayment } from "@dueday/core/remit/parseRemitLogs";
import type { Plan } from "@dueday/core/remit/plan";
import { planRemitInSlices } from "@dueday/core/remit/planRemit";
import { dueListsOn, type RemitState } from "@dueday/core/remit/state";
import type { Lack } from "@dueday/core/remit/tokenLedger";
import type { ChainClient } from "../client/createChainClient";
import { findStoppingToken } from "./findStoppingToken";
import { judgeEnd } from "./matchModel";
import { type SimulatePlanParameters, simulatePlan } from "./simulatePlan";

export type SimulateDaysAheadParameters = SimulatePlanParameters & { daysAhead: number };

/**
 * The days ahead where a token does not behave as the model assumes. The payments of `plan` are those of its simulation. The days ahead are
 * simulated together at the end of the last of them, since settling each day as it comes makes the same calls. What a token will do at another
 * time of day is unknown. Null for a plan that was not simulated. Throws ServiceError UPSTREAM_* where the node fails.
 */
export async function simulateDaysAhead(
  client: ChainClient,
  { daysAhead, ...parameters }: SimulateDaysAheadParameters,
  { state, plan }: { state: RemitState; plan: Plan },
): Promise<PlanAhead | null> {
  if (plan.source !== "simulated") return null;
  const { handled: open } = await simulatePlan(client, parameters);
  if (isStopped(plan.end) || plan.end === "limit" || daysAhead === 0) {
    return { plan, payments: paymentsOf(state, plan, open) };
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
  return { plan: all, payments: paymentsOf(state, all, handled) };
}

/** The payments with the reasons of failures, and those of closed days that no call has handled: the protocol's paging misses them. */
function paymentsOf(state: RemitState, { transactions }: Plan, handled: readonly HandledPayment[]): ForecastPayment[] {
  const payments: ForecastPayment[] = [];
  const left = new Set<string>();
  const lackOf = createLackOf(state);
  const byDay = Map.groupBy(handled, ({ dayNumber }) => dayNumber);
  const closed = new Set(transactions.flatMap(({ closesDays }) => closesDays));
  for (const day of new Set([...closed, ...byDay.keys()])) {
    const met = byDay.get(day) ?? [];
    for (const { outcome, ...payment } of met) {
      const lack = lackOf(payment, outcome === "failed");
      if (outcome !== "failed") {
        payments.push({ ...payment, outcome, lack });
        continue;
      }
      left.add(`${payment.id} ${payment.subscriber}`);
      // A token that shows one thing and does another counts as one whose balance is too low.
      const cause = lack !== null && lack.allowance > 0n ? "fails_allowance" : "fails_balance";
      payments.push({ ...payment, outcome: cause, lack });
    }
    if (closed.has(day)) payments.push(...missedOf(state, day, new Set(met.map(({ id }) => id)), left));
  }
  return payments;
}

/** What a failed payment lacks by `state`, after what the payments before it took; null where the token shows enough. */
function createLackOf({ subscriptions, tokens }: RemitState) {
  const taken = new Map<string, bigint>();
  return ({ id, subscriber }: Pick<HandledPayment, "id" | "subscriber">, failed: boolean): Lack | null => {
    const subscription = subscriptions.get(id);
    const token = subscription && tokens.get(subscription.token);
    if (subscription === undefined || token === undefined) return null;
    const units = toTokenUnits(subscription.amount, token.decimals);
    const payer = `${subscription.token} ${subscriber}`;
    const before = taken.get(payer) ?? 0n;
    if (!failed) {
      taken.set(payer, before + units);
      return null;
    }
    const { allowance = 0n, balance = 0n } = token.holdings.get(subscriber) ?? {};
    const missing = (held: bigint) => (before + units > held ? lesser(before + units - held, units) : 0n);
    const lack = { allowance: missing(allowance), balance: missing(balance) };
    return lack.allowance === 0n && lack.balance === 0n ? null : lack;
  };
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
        .map(({ subscriber }) => ({ id, subscriber, dayNumber, outcome: "missed" as const, lack: null }));
    }),
  );
}
