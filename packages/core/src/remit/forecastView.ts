import { type Static, Type } from "@sinclair/typebox";
import { Address, Bytes32, CalendarDate, Count, DayNumber, TokenAmount } from "../schema";
import { PaymentOutcome, PlanEnd } from "./plan";

const load = {
  subscriptions: Count,
  payments: Type.Integer({ minimum: 0, description: "Failures included" }),
  expectedFailures: Count,
  transactions: Count,
  callerFees: Type.Array(TokenAmount),
};

/** The answer of GET /remit/forecast. */
export const ForecastView = Type.Object({
  currentDay: DayNumber,
  nextUncheckedDay: DayNumber,
  end: PlanEnd,
  blockedBy: Type.Optional(Type.String({ ...Bytes32, description: "The id at which it ends, where end is blocked" })),
  backlog: Type.Object(load, { description: "Open days up to today" }),
  days: Type.Array(Type.Object({ dayNumber: DayNumber, date: CalendarDate, ...load })),
  account: Type.Optional(
    Type.Object({
      address: Address,
      nextDueDate: CalendarDate,
      coveredPayments: Type.Integer({ minimum: 0, description: "Payments before the first that fails" }),
      firstFailureId: Type.Optional(Bytes32),
      firstFailureDate: Type.Optional(CalendarDate),
      firstFailureOutcome: Type.Optional(PaymentOutcome),
    }),
  ),
});
export type ForecastView = Static<typeof ForecastView>;
