import { type Static, Type } from "@sinclair/typebox";
import { Issues, Warnings } from "../errors";
import { listOf } from "../paging";
import { AfterPermits, SavingPermits } from "../remit/permitPlan";
import { BlockedByView, deprecated, PaymentsByToken, PlanView, RemitTotals } from "../remit/plan";
import { Address, Bytes32, CalendarDate, Count, DayNumber, described } from "../schema";

/** The most days that are listed; totals cover all. */
export const READINESS_DAYS = 60;
/** The most transactions that are listed; totals cover all. */
export const READINESS_TRANSACTIONS = 50;

const ReadinessDay = Type.Object({
  dayNumber: DayNumber,
  date: CalendarDate,
  subscriptions: described(Count, "Ids in the due lists of that day now"),
  payments: Count,
  failures: Count,
  transactions: described(Count, "Calls that settle payments of that day; 0 for an empty day"),
});

/** Snapshot `readiness`, and the answer of both remit readiness operations: what calling remit() now would do. */
export const RemitReadiness = Type.Object({
  ready: Type.Boolean(),
  reason: Type.Union([
    Type.Literal("due"),
    Type.Literal("caught_up"),
    Type.Literal("nothing_due"),
    Type.Literal("blocked"),
  ]),
  from: Address,
  currentDay: DayNumber,
  nextUncheckedDay: DayNumber,
  caughtUp: Type.Boolean(),
  maxRemits: Count,
  totalSubscriptions: Count,
  totals: Type.Composite([
    RemitTotals,
    Type.Object({
      byToken: Type.Optional(
        described(
          PaymentsByToken,
          "amount is the sum of the payments that succeed. Absent where payments are not known one by one: mostly with from",
        ),
      ),
    }),
  ]),
  totalPayments: deprecated(Count, "totals.payments"),
  expectedFailures: deprecated(Count, "totals.failures"),
  expectedTransactions: deprecated(Count, "totals.transactions"),
  days: Type.Array(ReadinessDay, { maxItems: READINESS_DAYS }),
  plan: PlanView,
  economics: deprecated(Type.Omit(RemitTotals, ["transactions", "payments", "failures"]), "totals"),
  blockedBy: Type.Optional(BlockedByView),
  missed: listOf(Type.Object({ id: Bytes32, dayNumber: DayNumber, subscribers: Count })),
  warnings: Warnings,
  issues: Issues,
  // Only in a plan that is made for a caller: the kept permits may change between two scans.
  permits: Type.Optional(SavingPermits),
  afterPermits: Type.Optional(AfterPermits),
});
export type RemitReadiness = Static<typeof RemitReadiness>;
