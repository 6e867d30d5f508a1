import { formatUnits } from "@dueday/core/amounts/decimalText";
import { tokenAmount, tokenName } from "@dueday/core/amounts/tokenAmount";
import {
  type BlockedBy,
  type BlockedByView,
  type Plan,
  type PlannedTransactionView,
  type PlanView,
  type RemitTotals,
  stopOf,
} from "@dueday/core/remit/plan";
import { outOfGasRevert } from "@dueday/core/reverts/outOfGasRevert";
import type { Revert } from "@dueday/core/reverts/revert";
import type { Address } from "viem";
import { operatorFeeOf, type RollupFees, rollupCost } from "../fees/estimateRollupFees";
import { expectToken } from "../reads/expectToken";
import type { TokenInfos } from "../reads/readTokenInfos";

/** A plan and what its costs and amounts are computed from, at one block. */
export type PlanFacts = {
  plan: Plan;
  /** Wei per gas that a transaction would pay now: base fee plus priority fee. */
  gasPrice: bigint;
  /** Of one remit(); null on a chain without rollup fees. */
  rollupFees: RollupFees | null;
  /** Gas that one transaction may have. */
  gasCap: bigint;
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

/** What stops a blocked plan: the revert, and the id, subscriber and token where they were found. */
export function presentBlockedBy(revert: Revert | undefined, found: BlockedBy | undefined): BlockedByView | undefined {
  if (revert === undefined) return undefined;
  const { id, subscriber, token } = found ?? {};
  const reason = revert.name === outOfGasRevert.name ? "gas_cap" : "revert";
  return { reason, ...(id && { id }), ...(subscriber && { subscriber }), ...(token && { token }), revert };
}

/** The reason of a revert that stops the plan, with the token that gives it where that was found. */
export function stopMessage({ message }: Revert, { plan, tokens }: Pick<PlanFacts, "plan" | "tokens">): string {
  const stop = stopOf(plan);
  const token = stop && tokens.get(stop.token);
  return token === undefined ? message : `${message} The token is ${tokenName(token)}.`;
}

/** Sums over all transactions of a plan; gas that is not known counts as 0. */
export function presentTotals({ plan, tokens, gasPrice, rollupFees }: PlanFacts): RemitTotals {
  const fees = new Map<Address, bigint>();
  let [payments, failures, gasUsed, costWei, operatorFeeWei] = [0, 0, 0n, 0n, 0n];
  for (const transaction of plan.transactions) {
    const gas = transaction.gas?.used ?? 0n;
    payments += transaction.payments;
    failures += transaction.failures;
    gasUsed += gas;
    costWei += gas * gasPrice + rollupCost(rollupFees, gas);
    operatorFeeWei += operatorFeeOf(rollupFees, gas) ?? 0n;
    for (const { token, units } of transaction.callerFees) fees.set(token, (fees.get(token) ?? 0n) + units);
  }
  const { length } = plan.transactions;
  return {
    transactions: length,
    payments,
    failures,
    callerFees: [...fees].map(([token, units]) => tokenAmount(expectToken(tokens, token), units)),
    gasUsed: gasUsed.toString(),
    estimatedCostWei: costWei.toString(),
    estimatedCostEth: formatUnits(costWei, 18),
    ...(rollupFees && { l1FeeWei: (rollupFees.l1FeeWei * BigInt(length)).toString() }),
    ...(rollupFees?.operatorFee && { operatorFeeWei: operatorFeeWei.toString() }),
  };
}
