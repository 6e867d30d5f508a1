import type { Address } from "viem";
import type { BlockedBy, PlanEnd, PlannedPayment, PlannedTransaction } from "./plan";
import { type ModelledPlan, planRemit, planRemitInSlices } from "./planRemit";
import type { RemitState } from "./state";

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

export type Forecast = {
  /** Days up to today that are still open. */
  backlog: Load;
  /** The days after today, one for each. */
  days: ({ dayNumber: number } & Load)[];
  end: PlanEnd;
  /** Where the forecast ends because remit() would revert. */
  blockedBy?: BlockedBy;
  /** Every payment, in order. */
  payments: PlannedPayment[];
};

/**
 * The load of the open days and of `daysAhead` days after today, as balances, allowances and fee balances run down, if nobody
 * subscribes, leaves or tops up meanwhile. `state` has to hold the due lists of all these days. Settling each day as it comes
 * makes the same calls as settling them all on the last: empty days are closed by the next call in both cases.
 */
export function forecastRemits(state: RemitState, daysAhead: number): Forecast {
  return toForecast(state, daysAhead, planRemit({ ...state, today: state.today + daysAhead }));
}

/** `forecastRemits` in slices of some milliseconds, as `planRemitInSlices`. */
export async function forecastRemitsInSlices(state: RemitState, daysAhead: number): Promise<Forecast> {
  return toForecast(state, daysAhead, await planRemitInSlices({ ...state, today: state.today + daysAhead }));
}

function toForecast({ today }: RemitState, daysAhead: number, { transactions, end, details }: ModelledPlan): Forecast {
  const { payments, blockedBy } = details;
  const byDay = Map.groupBy(transactions, ({ day }) => day);
  const idsByDay = new Map<number, Set<string>>();
  for (const { id, dayNumber } of payments) {
    const ids = idsByDay.get(dayNumber) ?? new Set();
    idsByDay.set(dayNumber, ids.add(id));
  }
  const loadOf = (dayNumber: number) => load(byDay.get(dayNumber) ?? [], idsByDay.get(dayNumber)?.size ?? 0);
  const settled = [...byDay.keys()].filter((day) => day <= today);
  const days = Array.from({ length: daysAhead }, (_, offset) => today + 1 + offset);
  return {
    backlog: load(
      settled.flatMap((day) => byDay.get(day) ?? []),
      settled.reduce((sum, day) => sum + (idsByDay.get(day)?.size ?? 0), 0),
    ),
    days: days.map((dayNumber) => ({ dayNumber, ...loadOf(dayNumber) })),
    end,
    payments,
    ...(blockedBy && { blockedBy }),
  };
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
  /** The first day on which a payment of the account falls due and is met; null where none is in the forecast. */
  nextDueDay: number | null;
  /** Payments that its balances and allowances cover before the first that they do not. */
  coveredPayments: number;
  /** The first payment that fails; null where all of the forecast are covered. */
  firstFailure: PlannedPayment | null;
};

/** Next due day and runway of a subscriber: what skips or misses a payment neither counts nor fails. */
export function accountForecast(account: Address, { payments }: Forecast): AccountForecast {
  const due = payments.filter(
    ({ subscriber, outcome }) => subscriber === account && outcome !== "skipped" && outcome !== "missed",
  );
  const failure = due.findIndex(({ outcome }) => outcome === "fails_allowance" || outcome === "fails_balance");
  return {
    nextDueDay: due[0]?.dayNumber ?? null,
    coveredPayments: failure === -1 ? due.length : failure,
    firstFailure: due[failure] ?? null,
  };
}
