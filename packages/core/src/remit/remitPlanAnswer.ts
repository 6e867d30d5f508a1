import { type Static, Type } from "@sinclair/typebox";
import { Warning } from "../errors";
import { Address, Bytes32, Count, DayNumber, DecimalString, IntegerString, TokenAmount } from "../schema";
import { AfterPermits, SavingPermits } from "./permitPlan";
import {
  BlockedByView,
  deprecated,
  PaymentOutcome,
  PlannedTransactionView,
  PlanView,
  RemitTotals,
  UnpaidReason,
} from "./plan";

/** An integer as text, negative ones with a sign. */
const SignedIntegerString = Type.String({ pattern: "^(?:0|-?[1-9][0-9]*)$" });

/** The profit at the caller's own prices; absent without prices. */
const profit = {
  feesWei: Type.Optional(IntegerString),
  netWei: Type.Optional(SignedIntegerString),
  profitable: Type.Optional(Type.Boolean()),
};

/** A planned transaction with its gas and its profit. */
const CostedTransactionView = Type.Object({
  ...PlannedTransactionView.properties,
  dayNumber: DayNumber,
  gasSource: Type.Union([Type.Literal("simulated"), Type.Literal("fitted"), Type.Literal("unknown")]),
  estimatedCostWei: Type.Optional(IntegerString),
  costWei: Type.Optional(deprecated(IntegerString, "estimatedCostWei")),
  operatorFeeWei: Type.Optional(IntegerString),
  ...profit,
  breakEvenGasPrice: Type.Optional(IntegerString),
});

const PlannedPaymentView = Type.Object({
  transaction: Type.Integer({ minimum: 0, description: "Index of the transaction that meets it, or passes it over" }),
  id: Bytes32,
  subscriber: Address,
  dayNumber: DayNumber,
  outcome: PaymentOutcome,
  callerFee: TokenAmount,
});

/** The answer of GET /remit/plan without its paging: the whole plan's figures, and one page of payments with its transactions. */
export const RemitPlanAnswer = Type.Object({
  from: Address,
  ...PlanView.properties,
  blockedBy: Type.Optional(BlockedByView),
  totalTransactions: deprecated(Count, "totals.transactions"),
  totalPayments: deprecated(Count, "totals.payments"),
  expectedFailures: deprecated(Count, "totals.failures"),
  gasPriceWei: IntegerString,
  l1FeeWei: Type.Optional(Type.String({ ...IntegerString, description: "For the data of each transaction" })),
  totals: Type.Object({
    ...RemitTotals.properties,
    costWei: deprecated(IntegerString, "estimatedCostWei"),
    ...profit,
    profitableTransactions: Type.Optional(
      Type.Integer({ minimum: 0, description: "Transactions from the first on before one that is not profitable" }),
    ),
  }),
  transactions: Type.Array(CostedTransactionView, {
    description: "From that of the page's first payment to that of its last; to the end on the last page",
  }),
  payments: Type.Array(PlannedPaymentView),
  unpaidFees: Type.Array(
    Type.Object({
      transaction: Count,
      dayNumber: DayNumber,
      reason: UnpaidReason,
      id: Type.Optional(Bytes32),
      amount: Type.Optional(Type.String({ ...DecimalString, description: "Whole tokens of the subscription's token" })),
    }),
    { description: "Fees that the caller will not receive, of the transactions shown" },
  ),
  permits: SavingPermits,
  afterPermits: AfterPermits,
  warnings: Type.Array(Warning),
});
export type RemitPlanAnswer = Static<typeof RemitPlanAnswer>;
