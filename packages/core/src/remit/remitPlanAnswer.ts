import { type Static, Type } from "@sinclair/typebox";
import { Warnings } from "../errors";
import { listOf, pagedListOf } from "../paging";
import {
  Address,
  Bytes32,
  Count,
  DayNumber,
  DecimalString,
  described,
  IntegerString,
  TokenAmount,
  TokenDecimals,
  TokenUnits,
} from "../schema";
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

/** Fees in wei: token units at a price of up to 40 digits. */
const Worth = Type.String({ pattern: "^(?:0|[1-9][0-9]*)$", maxLength: 371 });
const SignedWorth = Type.String({ pattern: "^(?:0|-?[1-9][0-9]*)$", maxLength: 372 });

/** The profit at the caller's own prices; absent without prices. */
const profit = {
  feesWei: Type.Optional(Worth),
  netWei: Type.Optional(SignedWorth),
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
  breakEvenGasPrice: Type.Optional(Worth),
});

const PlannedPaymentView = Type.Object({
  transaction: described(Count, "Index of the transaction that meets it, or passes it over"),
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
  l1FeeWei: Type.Optional(described(IntegerString, "For the data of each transaction")),
  totals: Type.Object({
    ...RemitTotals.properties,
    costWei: deprecated(IntegerString, "estimatedCostWei"),
    ...profit,
    profitableTransactions: Type.Optional(
      described(Count, "Number of transactions before the first one that is not profitable"),
    ),
  }),
  transactions: described(
    listOf(CostedTransactionView),
    "From the transaction of the page's first payment to that of its last; on the last page, to the end of the plan",
  ),
  payments: pagedListOf(PlannedPaymentView),
  unpaidFees: described(
    listOf(
      Type.Object({
        transaction: Count,
        dayNumber: DayNumber,
        reason: UnpaidReason,
        id: Type.Optional(Bytes32),
        amount: Type.Optional(described(DecimalString, "Whole tokens of the subscription's token")),
        amountRaw: Type.Optional(TokenUnits),
        tokenDecimals: Type.Optional(TokenDecimals),
      }),
    ),
    "Fees that the caller will not receive, of the transactions shown",
  ),
  permits: SavingPermits,
  afterPermits: AfterPermits,
  warnings: Warnings,
});
export type RemitPlanAnswer = Static<typeof RemitPlanAnswer>;
