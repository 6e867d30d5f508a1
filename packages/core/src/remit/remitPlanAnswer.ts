import { type Static, Type } from "@sinclair/typebox";
import { Warning } from "../errors";
import { Address, Bytes32, Count, DayNumber, DecimalString, IntegerString, TokenAmount } from "../schema";
import { RemitReadiness } from "../snapshots/remitReadiness";
import { PaymentOutcome, PlanEnd, UnpaidReason } from "./plan";

/** An integer as text, negative ones with a sign. */
export const SignedIntegerString = Type.String({ pattern: "^(?:0|-?[1-9][0-9]*)$" });

/** What a transaction is worth at the caller's own prices. */
const judged = {
  feesWei: Type.Optional(IntegerString),
  netWei: Type.Optional(SignedIntegerString),
  profitable: Type.Optional(Type.Boolean()),
};

export const RemitPlanTransaction = Type.Object({
  index: Count,
  dayNumber: DayNumber,
  closesDays: Type.Array(DayNumber, { description: "Every day that it finishes, empty days included" }),
  payments: Count,
  failures: Count,
  gasUsed: Type.Optional(IntegerString),
  gasSource: Type.Union([Type.Literal("simulated"), Type.Literal("fitted"), Type.Literal("unknown")]),
  callerFees: Type.Array(TokenAmount),
  costWei: Type.Optional(IntegerString),
  ...judged,
  breakEvenGasPrice: Type.Optional(IntegerString),
});

export const RemitPlanPayment = Type.Object({
  transaction: Type.Integer({ minimum: 0, description: "Index of the transaction that meets it, or passes it over" }),
  id: Bytes32,
  subscriber: Address,
  dayNumber: DayNumber,
  outcome: PaymentOutcome,
  callerFee: TokenAmount,
});

/** What the answer of GET /remit/plan says of the whole plan, and of the transactions of one page of payments. */
export const RemitPlanAnswer = Type.Object({
  from: Address,
  source: RemitReadiness.properties.plan.properties.source,
  complete: Type.Boolean(),
  end: PlanEnd,
  blockedBy: RemitReadiness.properties.blockedBy,
  totalTransactions: Count,
  totalPayments: Count,
  expectedFailures: Count,
  gasPriceWei: IntegerString,
  l1FeeWei: Type.Optional(Type.String({ ...IntegerString, description: "For the data of each transaction" })),
  totals: Type.Object({
    callerFees: Type.Array(TokenAmount),
    gasUsed: IntegerString,
    costWei: IntegerString,
    ...judged,
    profitableTransactions: Type.Optional(
      Type.Integer({ minimum: 0, description: "Transactions from the first on before one that is not profitable" }),
    ),
  }),
  transactions: Type.Array(RemitPlanTransaction, {
    description: "From that of the page's first payment to that of its last; to the end on the last page",
  }),
  payments: Type.Array(RemitPlanPayment),
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
  warnings: Type.Array(Warning),
});
export type RemitPlanAnswer = Static<typeof RemitPlanAnswer>;
