import { tokenAmount } from "@dueday/core/amounts/tokenAmount";
import type { BlockedByView, Plan, PlannedTransactionView, PlanView } from "@dueday/core/remit/plan";
import type { TokenAmount } from "@dueday/core/schema";
import type { Address } from "viem";
import { expectToken } from "../reads/expectToken";
import type { TokenInfos } from "../reads/readTokenInfos";

/** A plan and what its costs and amounts are computed from, at one block. */
export type PlanFacts = {
  plan: Plan;
  /** Wei per gas that a transaction would pay now: base fee and tip. */
  gasPrice: bigint;
  /** Wei for the data of one remit(); null on a chain without. */
  l1Fee: bigint | null;
  /** Every token that the plan names. */
  tokens: TokenInfos;
};

/** The plan as answers show it, with its transactions from `first` up to but not including `end`. */
export function presentPlan({ plan, tokens }: PlanFacts, { first, end }: { first: number; end: number }): PlanView {
  return {
    source: plan.source,
    complete: plan.complete,
    end: plan.end,
    transactions: plan.transactions.slice(first, end).map(
      ({ closesDays, payments, failures, callerFees, gas }, offset): PlannedTransactionView => ({
        index: first + offset,
        closesDays,
        payments,
        failures,
        ...(gas && { gasUsed: gas.used.toString() }),
        callerFees: callerFees.map(({ token, units }) => tokenAmount(expectToken(tokens, token), units)),
      }),
    ),
  };
}

/** What stops a blocked plan: the revert, and the id, subscriber and token where the model found them. */
export function presentBlockedBy({ revert, details }: Plan): BlockedByView | undefined {
  if (revert === undefined) return undefined;
  const { id, subscriber, token } = details?.blockedBy ?? {};
  return { ...(id && { id }), ...(subscriber && { subscriber }), ...(token && { token }), revert };
}

/** Sums over all transactions of a plan. */
export type PlanTotals = {
  payments: number;
  failures: number;
  callerFees: TokenAmount[];
  /** Transactions of unknown gas count as 0. */
  gasUsed: bigint;
};

export function planTotals({ plan, tokens }: PlanFacts): PlanTotals {
  const fees = new Map<Address, bigint>();
  let [payments, failures, gasUsed] = [0, 0, 0n];
  for (const transaction of plan.transactions) {
    payments += transaction.payments;
    failures += transaction.failures;
    gasUsed += transaction.gas?.used ?? 0n;
    for (const { token, units } of transaction.callerFees) fees.set(token, (fees.get(token) ?? 0n) + units);
  }
  const callerFees = [...fees].map(([token, units]) => tokenAmount(expectToken(tokens, token), units));
  return { payments, failures, callerFees, gasUsed };
}
