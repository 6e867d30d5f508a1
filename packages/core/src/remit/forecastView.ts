import { type Static, Type } from "@sinclair/typebox";
import { Address, Bytes32, CalendarDate, Count, DayNumber, TokenAmount } from "../schema";
import { BlockedByView, PaymentOutcome, PlanEnd } from "./plan";

const load = {
  subscriptions: Count,
  payments: Type.Integer({ minimum: 0, description: "Failures included" }),
  expectedFailures: Count,
  transactions: Count,
  callerFees: Type.Array(TokenAmount),
};

const outlook = {
  nextDueDate: CalendarDate,
  coveredPayments: Type.Integer({ minimum: 0, description: "Payments before the first that fails" }),
  firstFailureId: Type.Optional(Bytes32),
  firstFailureDate: Type.Optional(CalendarDate),
  firstFailureOutcome: Type.Optional(PaymentOutcome),
};

/** The answer of GET /remit/forecast. */
export const ForecastView = Type.Object({
  currentDay: DayNumber,
  nextUncheckedDay: DayNumber,
  end: PlanEnd,
  blockedBy: Type.Optional(BlockedByView),
  backlog: Type.Object(load, { description: "Open days up to today" }),
  days: Type.Array(
    Type.Object({
      dayNumber: DayNumber,
      date: CalendarDate,
      blocked: Type.Boolean({ description: "remit() is stopped on this day or before: what is due is not charged" }),
      ...load,
    }),
  ),
  outlook: Type.Optional(
    Type.Object({ account: Address, ...outlook }, { description: "Of the account that was asked for" }),
  ),
  account: Type.Optional(
    Type.Object({ address: Address, ...outlook }, { deprecated: true, description: "Use outlook" }),
  ),
});
export type ForecastView = Static<typeof ForecastView>;
