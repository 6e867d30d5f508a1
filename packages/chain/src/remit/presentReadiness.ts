import { dayToDate } from "@dueday/core/calendar/dates";
import type { Issue } from "@dueday/core/errors";
import { type PaymentsByToken, stopOf } from "@dueday/core/remit/plan";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import { READINESS_DAYS, READINESS_TRANSACTIONS, type RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import { planWarnings } from "./planWarnings";
import { type PlanFacts, presentBlockedBy, presentPlan, presentTotals, stopMessage } from "./presentPlan";
import type { DueLists } from "./state/readDueLists";

/** Everything that a readiness answer is made from, at one block. */
export type ReadinessFacts = PlanFacts & {
  from: Address;
  currentDay: number;
  nextUncheckedDay: number;
  maxRemits: number;
  /** From nextUncheckedDay to today. */
  openDays: readonly number[];
  listsOf: DueLists;
  /** Accounts, in lower case, whose tokens the plan moves, its caller aside; null where it was not simulated to its end. */
  parties: ReadonlySet<string> | null;
  /** What the plan's payments move; null where they are not known one by one. */
  byToken: PaymentsByToken | null;
};

/** The readiness answer. Days and transactions are listed up to their limits; totals cover all. */
export function presentReadiness(facts: ReadinessFacts): RemitReadiness {
  const { from, currentDay, nextUncheckedDay, maxRemits, openDays, plan, listsOf, byToken } = facts;
  const reason = readinessReason(facts);
  const blockedBy = presentBlockedBy(plan.revert, stopOf(plan));
  const totals = presentTotals(facts);
  const { transactions, payments, failures, ...economics } = totals;
  return {
    ready: reason === "due",
    reason,
    from,
    currentDay,
    nextUncheckedDay,
    caughtUp: nextUncheckedDay > currentDay,
    maxRemits,
    totalSubscriptions: sum(openDays.map((day) => dueCount(listsOf, day))),
    totals: { ...totals, ...(byToken && { byToken }) },
    totalPayments: payments,
    expectedFailures: failures,
    expectedTransactions: transactions,
    days: openDays.slice(0, READINESS_DAYS).map((day) => readinessDay(day, facts)),
    plan: presentPlan(facts, { first: 0, end: READINESS_TRANSACTIONS }),
    economics,
    ...(blockedBy && { blockedBy }),
    missed: plan.details?.missed ?? [],
    warnings: planWarnings(facts),
    issues: readinessIssues(reason, facts),
  };
}

/**
 * Why remit() should be called, or not. A plan that ends blocked after transactions with payments is `due`: those transactions can be
 * sent.
 */
function readinessReason({ plan, nextUncheckedDay, currentDay }: ReadinessFacts): RemitReadiness["reason"] {
  if (nextUncheckedDay > currentDay) return "caught_up";
  if (plan.transactions.some((transaction) => transaction.payments > 0)) return "due";
  return plan.end === "caught_up" ? "nothing_due" : "blocked";
}

/** What keeps remit() from being called; empty when it is due. */
function readinessIssues(reason: RemitReadiness["reason"], facts: ReadinessFacts): Issue[] {
  switch (reason) {
    case "due":
      return [];
    case "caught_up":
      return [
        { code: "CAUGHT_UP", message: `Every day before ${facts.nextUncheckedDay} is settled; nothing is open today.` },
      ];
    case "nothing_due":
      return [
        { code: "NOTHING_DUE", message: "No open day holds a payment: remit() would revert, or settle nothing." },
      ];
    case "blocked":
      return [blockedIssue(facts)];
  }
}

function blockedIssue({ plan, gasCap, tokens }: PlanFacts): Issue {
  const { end, revert } = plan;
  if (end === "no_progress") {
    return {
      code: "NO_PROGRESS",
      message: "maxRemits is 0: every call of remit() succeeds and settles nothing.",
    };
  }
  if (revert === undefined || revert.name === outOfGasRevert.name) {
    return {
      code: "GAS_LIMIT",
      message: `The next remit() needs more than the ${gasCap} gas that one transaction may have, or more than the chain's node simulates; the protocol's admin can lower maxRemits.`,
    };
  }
  return { code: "BLOCKED", message: `remit() reverts for everybody: ${stopMessage(revert, { plan, tokens })}` };
}

function readinessDay(day: number, { plan, listsOf }: ReadinessFacts): RemitReadiness["days"][number] {
  const transactions = plan.transactions.filter((transaction) => transaction.day === day);
  return {
    dayNumber: day,
    date: dayToDate(day),
    subscriptions: dueCount(listsOf, day),
    payments: sum(transactions.map((transaction) => transaction.payments)),
    failures: sum(transactions.map((transaction) => transaction.failures)),
    transactions: transactions.length,
  };
}

function dueCount(listsOf: DueLists, day: number): number {
  return sum(listsOf(day).map((list) => list.ids.length));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
