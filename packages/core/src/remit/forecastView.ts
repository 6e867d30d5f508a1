import { type Static, Type } from "@sinclair/typebox";
import { listOf } from "../paging";
import { Address, Bytes32, CalendarDate, Count, DayNumber, described, Nullable, TokenAmount } from "../schema";
import { BlockedByView, PaymentOutcome, PaymentsByToken, PlanEnd } from "./plan";

const load = {
  subscriptions: Count,
  payments: described(Count, "Failures included"),
  expectedFailures: Count,
  transactions: Count,
  callerFees: listOf(TokenAmount),
};

const outlook = {
  nextDueDate: CalendarDate,
  coveredPayments: described(Count, "Payments before the first that fails"),
  firstFailureId: Type.Optional(Bytes32),
  firstFailureDate: Type.Optional(CalendarDate),
  firstFailureOutcome: Type.Optional(PaymentOutcome),
};

const selected = {
  payments: described(Count, "Failures included"),
  expectedFailures: Count,
  byToken: PaymentsByToken,
};
const SelectedPayments = Type.Object(selected);
export type SelectedPayments = Static<typeof SelectedPayments>;

/** The payments that the parameters account, provider and subscription select. */
const Selection = Type.Object({
  next30Days: Type.Object(selected, { description: "backlog and 30 days" }),
  backlog: Type.Object(selected, { description: "Open days" }),
  days: listOf(Type.Object({ dayNumber: DayNumber, date: CalendarDate, ...selected })),
});
export type Selection = Static<typeof Selection>;

/** The answer of GET /remit/forecast. */
export const ForecastView = Type.Object({
  currentDay: DayNumber,
  nextUncheckedDay: DayNumber,
  end: PlanEnd,
  blockedBy: Type.Optional(BlockedByView),
  backlog: Type.Object(load, { description: "Open days up to today" }),
  days: listOf(
    Type.Object({
      dayNumber: DayNumber,
      date: CalendarDate,
      blocked: Type.Boolean({
        description: "remit() is stopped on this day or before: only the payments counted here are charged",
      }),
      ...load,
    }),
  ),
  selection: Type.Optional(
    Type.Union(Nullable(Selection).anyOf, {
      description: "Payments that match account, provider and subscription; null where payments are not known",
    }),
  ),
  outlook: Type.Optional(
    Type.Object(
      { account: Address, ...outlook },
      { description: "Outlook of the account that was asked for; absent unless exactly one was asked for" },
    ),
  ),
  account: Type.Optional(
    Type.Object({ address: Address, ...outlook }, { deprecated: true, description: "Use outlook" }),
  ),
});
export type ForecastView = Static<typeof ForecastView>;
