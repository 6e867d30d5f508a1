import { formatUnits } from "@dueday/core/amounts/decimalText";
import { type TokenInfo, tokenAmount } from "@dueday/core/amounts/tokenAmount";
import type { PlannedPayment, UnpaidFee } from "@dueday/core/remit/plan";
import type { RemitPlanAnswer } from "@dueday/core/remit/remitPlanAnswer";
import { type Prices, transactionProfit } from "@dueday/core/remit/transactionProfit";
import type { TokenAmount } from "@dueday/core/schema";
import type { Address } from "viem";
import { expectToken } from "../reads/expectToken";
import { blockedByOf } from "./buildReadiness";
import type { BacklogTransaction } from "./planBacklog";
import { planWarnings } from "./readinessVerdict";
import type { CostedPlan } from "./readRemitPlan";

export type PresentPlanParameters = {
  from: Address;
  /** A page of the plan's payments, or of those of one transaction. */
  payments: readonly PlannedPayment[];
  /** Indexes of the transactions to show. */
  transactions: { first: number; end: number };
  /** Wei of native token for one whole token, by token; null where the caller gave none. */
  priceByToken: ReadonlyMap<Address, bigint> | null;
};

/** The answer of GET /remit/plan but for the fields of its paging. */
export function presentPlan(costed: CostedPlan, parameters: PresentPlanParameters): RemitPlanAnswer {
  const { plan, gasPrice, l1Fee, tokens } = costed;
  const { transactions } = plan;
  const { first, end } = parameters.transactions;
  const judge = judgeOf(costed, parameters.priceByToken);
  const judged = transactions.map(judge);
  const blockedBy = blockedByOf(plan);
  const loss = judged.findIndex(({ profitable }) => profitable === false);
  const unpriced = unpricedOf(costed, parameters.priceByToken);
  return {
    from: parameters.from,
    source: plan.source,
    complete: plan.complete,
    end: plan.end,
    ...(blockedBy && { blockedBy }),
    totalTransactions: transactions.length,
    totalPayments: sum(transactions.map(({ payments }) => payments)),
    expectedFailures: sum(transactions.map(({ failures }) => failures)),
    gasPriceWei: gasPrice.toString(),
    ...(l1Fee === null ? {} : { l1FeeWei: l1Fee.toString() }),
    totals: {
      callerFees: totalFees(costed),
      gasUsed: total(transactions.map(({ gasUsed }) => gasUsed)).toString(),
      ...totalsOf(judged, parameters.priceByToken !== null),
      ...(parameters.priceByToken === null ? {} : { profitableTransactions: loss === -1 ? judged.length : loss }),
    },
    transactions: transactions.slice(first, end).map((transaction, offset) => ({
      index: first + offset,
      dayNumber: transaction.day,
      closesDays: transaction.closesDays,
      payments: transaction.payments,
      failures: transaction.failures,
      gasSource: transaction.gasSource,
      ...(transaction.gasSource === "unknown" ? {} : { gasUsed: transaction.gasUsed.toString() }),
      callerFees: transaction.callerFees.map(({ token, units }) => tokenAmount(expectToken(tokens, token), units)),
      ...presentJudgement(judge(transaction)),
    })),
    payments: parameters.payments.map(({ callerFee, ...payment }) => ({
      ...payment,
      callerFee: tokenAmount(tokenOf(costed, payment.id), callerFee),
    })),
    unpaidFees: (plan.details?.unpaidFees ?? [])
      .filter(({ transaction }) => transaction >= first && transaction < end)
      .map((fee) => presentUnpaid(costed, fee)),
    warnings: [
      ...planWarnings(plan),
      ...(unpriced.length === 0
        ? []
        : [
            { code: "UNPRICED_TOKEN", message: `Fees in ${unpriced.join(", ")} count for nothing: no price is given.` },
          ]),
    ],
  };
}

type Judged = { costWei?: bigint; feesWei?: bigint; netWei?: bigint; profitable?: boolean; breakEvenGasPrice?: bigint };

/** Without prices only the cost is known; without gas nothing is. */
function judgeOf({ gasPrice, l1Fee, tokens }: CostedPlan, priceByToken: ReadonlyMap<Address, bigint> | null) {
  const prices: Prices = new Map(
    [...(priceByToken ?? [])].flatMap(([token, wei]) => {
      const info = tokens.get(token);
      return info === undefined ? [] : [[token, { wei, decimals: info.decimals }] as const];
    }),
  );
  return ({ callerFees, gasUsed, gasSource }: BacklogTransaction): Judged => {
    if (gasSource === "unknown") return {};
    const judgement = transactionProfit({ callerFees, gasUsed, gasPrice, l1FeeWei: l1Fee ?? 0n, prices });
    return priceByToken === null ? { costWei: judgement.costWei } : judgement;
  };
}

function presentJudgement({ costWei, feesWei, netWei, profitable, breakEvenGasPrice }: Judged) {
  return {
    ...(costWei === undefined ? {} : { costWei: costWei.toString() }),
    ...(feesWei === undefined ? {} : { feesWei: feesWei.toString() }),
    ...(netWei === undefined ? {} : { netWei: netWei.toString() }),
    ...(profitable === undefined ? {} : { profitable }),
    ...(breakEvenGasPrice === undefined ? {} : { breakEvenGasPrice: breakEvenGasPrice.toString() }),
  };
}

function totalsOf(judged: readonly Judged[], priced: boolean) {
  const costWei = total(judged.map((each) => each.costWei ?? 0n));
  if (!priced) return { costWei: costWei.toString() };
  const feesWei = total(judged.map((each) => each.feesWei ?? 0n));
  const netWei = feesWei - costWei;
  return {
    costWei: costWei.toString(),
    feesWei: feesWei.toString(),
    netWei: netWei.toString(),
    profitable: netWei > 0n,
  };
}

function unpricedOf({ plan, tokens }: CostedPlan, priceByToken: ReadonlyMap<Address, bigint> | null): string[] {
  if (priceByToken === null) return [];
  const received = new Set(plan.transactions.flatMap(({ callerFees }) => callerFees.map(({ token }) => token)));
  return [...received].filter((token) => !priceByToken.has(token)).map((token) => expectToken(tokens, token).address);
}

function totalFees({ plan, tokens }: CostedPlan): TokenAmount[] {
  const totals = new Map<Address, bigint>();
  for (const { callerFees } of plan.transactions) {
    for (const { token, units } of callerFees) totals.set(token, (totals.get(token) ?? 0n) + units);
  }
  return [...totals].map(([token, units]) => tokenAmount(expectToken(tokens, token), units));
}

function presentUnpaid({ tokens }: CostedPlan, { transaction, dayNumber, reason, id, token, units }: UnpaidFee) {
  return {
    ...{ transaction, dayNumber, reason },
    ...(id === undefined ? {} : { id }),
    ...(token === undefined || units === undefined
      ? {}
      : { amount: formatUnits(units, expectToken(tokens, token).decimals) }),
  };
}

/** The token that a payment is in; payments come from the state, so it is there. */
function tokenOf({ plan, tokens }: CostedPlan, id: PlannedPayment["id"]): TokenInfo {
  const subscription = plan.details?.state.subscriptions.get(id);
  if (subscription === undefined) throw new Error(`the plan has a payment of ${id}, which its state lacks`);
  return expectToken(tokens, subscription.token);
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

function total(values: readonly bigint[]): bigint {
  return values.reduce((all, value) => all + value, 0n);
}
