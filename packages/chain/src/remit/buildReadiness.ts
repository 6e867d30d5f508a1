import { formatUnits } from "@dueday/core/amounts/decimalText";
import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import { dayToDate } from "@dueday/core/calendar/dates";
import type { TokenAmount } from "@dueday/core/schema";
import { READINESS_DAYS, READINESS_TRANSACTIONS, type RemitReadiness } from "@dueday/core/snapshots/remitReadiness";
import type { Address } from "viem";
import type { FeeEstimate } from "../fees/estimateFees";
import { expectToken } from "../reads/expectToken";
import type { DueLists } from "../reads/readDueLists";
import type { TokenInfos } from "../reads/readTokenInfos";
import type { BacklogPlan } from "./planBacklog";
import { planWarnings, readinessIssues, readinessReason } from "./readinessVerdict";

/** Everything that was read for a readiness answer, at one block. */
export type ReadinessFacts = {
  from: Address;
  currentDay: number;
  nextUncheckedDay: number;
  maxRemits: number;
  /** From nextUncheckedDay to today. */
  openDays: readonly number[];
  plan: BacklogPlan;
  listsOf: DueLists;
  fees: FeeEstimate;
  /** Wei for one remit(); null on a chain without. */
  l1Fee: bigint | null;
  tokens: TokenInfos;
};

/** The answer from the facts. Days and transactions are listed up to their limits, totals cover all. */
export function buildReadiness(facts: ReadinessFacts): RemitReadiness {
  const { from, currentDay, nextUncheckedDay, maxRemits, openDays, plan, listsOf, tokens } = facts;
  const { transactions } = plan;
  const reason = readinessReason(facts);
  const blockedBy = blockedByOf(plan);
  return {
    ready: reason === "due",
    reason,
    from,
    currentDay,
    nextUncheckedDay,
    caughtUp: nextUncheckedDay > currentDay,
    maxRemits,
    totalSubscriptions: sum(openDays.map((day) => dueCount(listsOf, day))),
    totalPayments: sum(transactions.map((transaction) => transaction.payments)),
    expectedFailures: sum(transactions.map((transaction) => transaction.failures)),
    expectedTransactions: transactions.length,
    days: openDays.slice(0, READINESS_DAYS).map((day) => readinessDay(day, facts)),
    plan: {
      source: plan.source,
      complete: plan.complete,
      end: plan.end,
      transactions: transactions.slice(0, READINESS_TRANSACTIONS).map((transaction, index) => ({
        index,
        closesDays: transaction.closesDays,
        payments: transaction.payments,
        failures: transaction.failures,
        ...(transaction.gasSource === "unknown" ? {} : { gasUsed: transaction.gasUsed.toString() }),
        callerFees: transaction.callerFees.map(({ token, units }) => tokenAmount(expectToken(tokens, token), units)),
      })),
    },
    economics: economicsOf(facts),
    ...(blockedBy === undefined ? {} : { blockedBy }),
    missed: plan.details?.missed ?? [],
    warnings: planWarnings(plan),
    issues: readinessIssues(reason, facts),
  };
}

/** What stops a blocked plan: the revert, and the model's culprit where it is known. */
export function blockedByOf({ revert, details }: BacklogPlan): RemitReadiness["blockedBy"] {
  if (revert === undefined) return undefined;
  const { id, subscriber, token } = details?.blockedBy ?? {};
  return { ...(id && { id }), ...(subscriber && { subscriber }), ...(token && { token }), revert };
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

function economicsOf({ plan, fees, l1Fee, tokens }: ReadinessFacts): RemitReadiness["economics"] {
  const gasUsed = plan.transactions.reduce((total, transaction) => total + transaction.gasUsed, 0n);
  const l1FeeWei = l1Fee === null ? null : l1Fee * BigInt(plan.transactions.length);
  const costWei = gasUsed * (fees.baseFeePerGas + fees.maxPriorityFeePerGas) + (l1FeeWei ?? 0n);
  return {
    callerFees: totalFees(plan, tokens),
    gasUsed: gasUsed.toString(),
    estimatedCostWei: costWei.toString(),
    estimatedCostEth: formatUnits(costWei, 18),
    ...(l1FeeWei === null ? {} : { l1FeeWei: l1FeeWei.toString() }),
  };
}

function totalFees(plan: BacklogPlan, tokens: TokenInfos): TokenAmount[] {
  const totals = new Map<Address, bigint>();
  for (const { callerFees } of plan.transactions) {
    for (const { token, units } of callerFees) totals.set(token, (totals.get(token) ?? 0n) + units);
  }
  return [...totals].map(([token, units]) => tokenAmount(expectToken(tokens, token), units));
}

function dueCount(listsOf: DueLists, day: number): number {
  return sum(listsOf(day).map((list) => list.ids.length));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
