import type { Address } from "viem";
import type { Revert } from "../reverts/revert";
import { type BlockedBy, type Plan, type PlanEnd, type PlannedPayment, type PlannedTransaction, stopOf } from "./plan";
import { continuePlan, planRemitInSlices } from "./planRemit";
import type { RemitState } from "./state";

/** Days after today that forecasts, due lists and the health of an account cover, where a request gives no number. */
export const FORECAST_DAYS = 35;

/** The work of a keeper in a range of days, if each day is settled as it comes. */
export type Load = {
  /** Ids met or missed, each once a day. */
  subscriptions: number;
  /** Failures included. */
  payments: number;
  failures: number;
  transactions: number;
  /** Token units by token. */
  callerFees: { token: Address; units: bigint }[];
};

export type ForecastDay = {
  dayNumber: number;
  /** remit() is stopped on this day or an earlier one: only the payments in the load are charged. */
  blocked: boolean;
} & Load;

export type Forecast = {
  /** Days up to today that are still open. */
  backlog: Load;
  /** One entry for each day after today. */
  days: ForecastDay[];
  end: PlanEnd;
  /** The first day that remit() can't close; null where it closes all. */
  blockedFrom: number | null;
  /** The revert that stops remit(), where `end` is blocked. */
  revert?: Revert;
  /** What stops remit(), where the cause was found. */
  blockedBy?: BlockedBy;
  /** Every payment, in order; null where neither the model nor a simulation shows them. */
  payments: ForecastPayment[] | null;
};

export type ForecastPayment = Pick<PlannedPayment, "id" | "subscriber" | "dayNumber" | "outcome" | "lack">;

/** A plan that reaches some days after today, with its payments; null where neither the model nor a simulation shows them. */
export type PlanAhead = { plan: Plan; payments: ForecastPayment[] | null };

/**
 * What remit() does on the open days and on `daysAhead` days after today, with each payment taken from balances, allowances
 * and fee balances, if no account subscribes, leaves or tops up meanwhile. `state` has to hold the due lists of all these
 * days. `plan` is the plan of the open days; the lists of these days are enough for it. If it is stopped, the result ends
 * with it. Otherwise the model continues from day to day, in slices of some milliseconds. Settling each day as it comes
 * makes the same calls as settling them all on the last: empty days are closed by the next call in both cases.
 */
export async function planDaysAhead(state: RemitState, daysAhead: number, plan: Plan): Promise<PlanAhead> {
  if (isStopped(plan.end)) return withPayments(plan);
  const ahead = { ...withBlocked(state, plan), today: state.today + daysAhead };
  const modelled = (await continuePlan(plan, ahead)) ?? (await planRemitInSlices(ahead));
  const later = modelled.transactions.filter(({ day }) => day > state.today);
  const transactions = [...plan.transactions, ...later];
  return withPayments({ ...modelled, transactions, ...(plan.details === null && { details: null }) });
}

function withPayments(plan: Plan): PlanAhead {
  return { plan, payments: plan.details?.payments ?? null };
}

/** The state with the accounts whose transfers the plan found to be refused: no state shows them. */
function withBlocked(state: RemitState, { details }: Plan): RemitState {
  const tokens = new Map(state.tokens);
  for (const [address, { blocked }] of details?.state.tokens ?? []) {
    const token = tokens.get(address);
    if (token !== undefined) tokens.set(address, { ...token, blocked });
  }
  return { ...state, tokens };
}

/** The first day that a plan can't close; null where it closes all. */
export function firstBlockedDay(
  { nextUncheckedDay }: Pick<RemitState, "nextUncheckedDay">,
  { end, transactions }: Pick<Plan, "end" | "transactions">,
): number | null {
  return isStopped(end) ? (lastClosedDay(transactions) ?? nextUncheckedDay - 1) + 1 : null;
}

/** The load of each day of a plan that reaches `daysAhead` days after today. */
export function forecastFromPlan(state: RemitState, daysAhead: number, { plan, payments }: PlanAhead): Forecast {
  const { today } = state;
  const { transactions, end, revert } = plan;
  const blockedBy = stopOf(plan);
  const byDay = Map.groupBy(transactions, ({ day }) => day);
  const idsByDay = new Map<number, Set<string>>();
  for (const { id, dayNumber } of payments ?? []) {
    const ids = idsByDay.get(dayNumber) ?? new Set();
    idsByDay.set(dayNumber, ids.add(id));
  }
  const loadOf = (dayNumber: number) => load(byDay.get(dayNumber) ?? [], idsByDay.get(dayNumber)?.size ?? 0);
  const settled = [...byDay.keys()].filter((day) => day <= today);
  const days = Array.from({ length: daysAhead }, (_, offset) => today + 1 + offset);
  const blockedFrom = firstBlockedDay(state, plan);
  return {
    backlog: load(
      settled.flatMap((day) => byDay.get(day) ?? []),
      settled.reduce((sum, day) => sum + (idsByDay.get(day)?.size ?? 0), 0),
    ),
    days: days.map((dayNumber) => ({
      dayNumber,
      blocked: blockedFrom !== null && dayNumber >= blockedFrom,
      ...loadOf(dayNumber),
    })),
    end,
    blockedFrom,
    payments,
    ...(revert && { revert }),
    ...(blockedBy && { blockedBy }),
  };
}

/** Whether a plan ends because remit() can't go on. */
export function isStopped(end: PlanEnd): boolean {
  return end === "blocked" || end === "no_progress";
}

/** The last day that `transactions` close; undefined where none closes any. */
export function lastClosedDay(transactions: readonly PlannedTransaction[]): number | undefined {
  return transactions.findLast(({ closesDays }) => closesDays.length > 0)?.closesDays.at(-1);
}

function load(transactions: readonly PlannedTransaction[], subscriptions: number): Load {
  const fees = new Map<Address, bigint>();
  let [payments, failures] = [0, 0];
  for (const transaction of transactions) {
    payments += transaction.payments;
    failures += transaction.failures;
    for (const { token, units } of transaction.callerFees) fees.set(token, (fees.get(token) ?? 0n) + units);
  }
  const callerFees = [...fees].map(([token, units]) => ({ token, units }));
  return { subscriptions, payments, failures, transactions: transactions.length, callerFees };
}

/** The forecast of one subscriber. */
export type AccountForecast = {
  /** The first day on which remit() handles a payment of the account; null where none is in the forecast. */
  nextDueDay: number | null;
  /** Payments that its balances and allowances cover before the first that they do not. */
  coveredPayments: number;
  /** The first payment that fails; null where all of the forecast are covered. */
  firstFailure: ForecastPayment | null;
};

/** Next due day and covered payments of a subscriber. Payments that are skipped or missed count as neither covered nor failed. */
export function accountForecast(account: Address, { payments }: Forecast): AccountForecast {
  const due = (payments ?? []).filter(
    ({ subscriber, outcome }) => subscriber === account && outcome !== "skipped" && outcome !== "missed",
  );
  const failure = due.findIndex(({ outcome }) => outcome === "fails_allowance" || outcome === "fails_balance");
  return {
    nextDueDay: due[0]?.dayNumber ?? null,
    coveredPayments: failure === -1 ? due.length : failure,
    firstFailure: due[failure] ?? null,
  };
}
