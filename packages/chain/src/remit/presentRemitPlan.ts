import { amountFields, type TokenInfo, tokenAmount } from "@dueday/core/amounts/tokenAmount";
import type { Warning } from "@dueday/core/errors";
import type { PermitPlan } from "@dueday/core/remit/permitPlan";
import { type PlannedPayment, type PlannedTransaction, stopOf, type UnpaidFee } from "@dueday/core/remit/plan";
import type { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";
import { type Prices, type TransactionProfit, transactionProfit } from "@dueday/core/remit/transactionProfit";
import type { Address } from "viem";
import { operatorFeeOf, type RollupFees, rollupCost } from "../fees/estimateRollupFees";
import { expectToken } from "../reads/expectToken";
import { planWarnings } from "./planWarnings";
import { type PlanFacts, presentBlockedBy, presentPlan, presentTotals } from "./presentPlan";

type PlanWithoutPermits = Omit<RemitPlanAnswer, keyof PermitPlan>;

export type PresentRemitPlanParameters = {
  from: Address;
  /** A page of the plan's payments, or of those of one transaction. */
  payments: readonly PlannedPayment[];
  /** Indexes of the transactions to show, `end` excluded. */
  transactions: { first: number; end: number };
  /** Wei of native token for one whole token, by token; null where the caller gave none. */
  priceByToken: ReadonlyMap<Address, bigint> | null;
};

const paymentsUnknown: Warning = {
  code: "PAYMENTS_UNKNOWN",
  message:
    "Single payments, missed payments and unpaid fees are not known: the chain's node did not return the state that they follow from, or its simulation does not agree with that state.",
};

/** The answer of GET /remit/plan without the fields of its paging and of kept permits. */
export function presentRemitPlan(facts: PlanFacts, parameters: PresentRemitPlanParameters): PlanWithoutPermits {
  const { from, payments, priceByToken } = parameters;
  const { plan, gasPrice, rollupFees } = facts;
  const { first, end } = parameters.transactions;
  const view = presentPlan(facts, parameters.transactions);
  const blockedBy = presentBlockedBy(plan.revert, stopOf(plan));
  const totals = presentTotals(facts);
  const profits = profitsOf(facts, priceByToken);
  const shown = plan.transactions.slice(first, end);
  return {
    from,
    ...view,
    ...(blockedBy && { blockedBy }),
    totalTransactions: plan.transactions.length,
    totalPayments: totals.payments,
    expectedFailures: totals.failures,
    gasPriceWei: gasPrice.toString(),
    ...(rollupFees && { l1FeeWei: rollupFees.l1FeeWei.toString() }),
    totals: { ...totals, ...totalProfit(profits, totals.estimatedCostWei, priceByToken !== null) },
    transactions: view.transactions.map((transaction, offset) => ({
      ...transaction,
      dayNumber: shown[offset]?.day ?? 0,
      gasSource: shown[offset]?.gas?.source ?? "unknown",
      ...presentOperatorFee(rollupFees, shown[offset]),
      ...presentProfit(profits[first + offset] ?? {}),
    })),
    payments: payments.map(({ callerFee, lack: _, ...payment }) => ({
      ...payment,
      callerFee: tokenAmount(tokenOf(facts, payment.id), callerFee),
    })),
    unpaidFees: (plan.details?.unpaidFees ?? [])
      .filter(({ transaction }) => transaction >= first && transaction < end)
      .map((fee) => presentUnpaidFee(facts, fee)),
    warnings: [
      ...planWarnings(facts),
      ...(plan.details === null ? [paymentsUnknown] : []),
      ...unpricedWarnings(facts, priceByToken),
    ],
  };
}

function presentOperatorFee(rollupFees: RollupFees | null, transaction: PlannedTransaction | undefined) {
  const feeWei = transaction?.gas ? operatorFeeOf(rollupFees, transaction.gas.used) : null;
  return feeWei === null ? {} : { operatorFeeWei: feeWei.toString() };
}

/** Without prices only the cost is known; without gas, nothing. */
type KnownProfit = Partial<TransactionProfit>;

/** The profit of each transaction of the plan. */
function profitsOf(
  { plan, gasPrice, rollupFees, tokens }: PlanFacts,
  priceByToken: ReadonlyMap<Address, bigint> | null,
) {
  const prices: Prices = new Map(
    [...(priceByToken ?? [])].flatMap(([token, wei]) => {
      const info = tokens.get(token);
      return info === undefined ? [] : [[token, { wei, decimals: info.decimals }] as const];
    }),
  );
  return plan.transactions.map(({ callerFees, gas }: PlannedTransaction): KnownProfit => {
    if (gas === null) return {};
    const rollupFeesWei = rollupCost(rollupFees, gas.used);
    const profit = transactionProfit({ callerFees, gasUsed: gas.used, gasPrice, rollupFeesWei, prices });
    return priceByToken === null ? { costWei: profit.costWei } : profit;
  });
}

function presentProfit({ costWei, feesWei, netWei, profitable, breakEvenGasPrice }: KnownProfit) {
  return {
    ...(costWei === undefined ? {} : { estimatedCostWei: costWei.toString(), costWei: costWei.toString() }),
    ...(feesWei === undefined ? {} : { feesWei: feesWei.toString() }),
    ...(netWei === undefined ? {} : { netWei: netWei.toString() }),
    ...(profitable === undefined ? {} : { profitable }),
    ...(breakEvenGasPrice === undefined ? {} : { breakEvenGasPrice: breakEvenGasPrice.toString() }),
  };
}

function totalProfit(profits: readonly KnownProfit[], costWei: string, priced: boolean) {
  if (!priced) return { costWei };
  const feesWei = profits.reduce((sum, profit) => sum + (profit.feesWei ?? 0n), 0n);
  const netWei = feesWei - BigInt(costWei);
  // A transaction of unknown gas may be a loss.
  const firstLoss = profits.findIndex(({ profitable }) => profitable !== true);
  return {
    costWei,
    feesWei: feesWei.toString(),
    netWei: netWei.toString(),
    profitable: netWei > 0n,
    profitableTransactions: firstLoss === -1 ? profits.length : firstLoss,
  };
}

function unpricedWarnings({ plan }: PlanFacts, priceByToken: ReadonlyMap<Address, bigint> | null): Warning[] {
  if (priceByToken === null) return [];
  const received = new Set(plan.transactions.flatMap(({ callerFees }) => callerFees.map(({ token }) => token)));
  const unpriced = [...received].filter((token) => !priceByToken.has(token));
  if (unpriced.length === 0) return [];
  return [{ code: "UNPRICED_TOKEN", message: `Fees in ${unpriced.join(", ")} are counted as 0: no price is given.` }];
}

function presentUnpaidFee({ tokens }: PlanFacts, { transaction, dayNumber, reason, id, token, units }: UnpaidFee) {
  return {
    transaction,
    dayNumber,
    reason,
    ...(id === undefined ? {} : { id }),
    ...(token === undefined || units === undefined ? {} : amountFields(units, expectToken(tokens, token).decimals)),
  };
}

/** The token of a payment. */
function tokenOf({ plan, tokens }: PlanFacts, id: PlannedPayment["id"]): TokenInfo {
  const subscription = plan.details?.state.subscriptions.get(id);
  if (subscription === undefined) throw new Error(`the plan has a payment of ${id}, which its state lacks`);
  return expectToken(tokens, subscription.token);
}
