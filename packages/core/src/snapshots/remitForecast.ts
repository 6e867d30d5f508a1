import { Type } from "@sinclair/typebox";
import { PaymentOutcome, PlanEnd } from "../remit/plan";
import { Address, Bytes32, CalendarDate, Count, DayNumber, Nullable, TokenAmount } from "../schema";
import { RemitReadiness } from "./remitReadiness";

const load = {
  subscriptions: Count,
  payments: Type.Integer({ minimum: 0, description: "Failures included" }),
  expectedFailures: Count,
  transactions: Count,
  callerFees: Type.Array(TokenAmount),
};

/** The answer of GET /remit/forecast. */
export const RemitForecast = Type.Object({
  source: Type.Literal("modelled"),
  currentDay: DayNumber,
  nextUncheckedDay: DayNumber,
  end: PlanEnd,
  blockedBy: RemitReadiness.properties.blockedBy,
  backlog: Type.Object(load, { description: "Open days up to today" }),
  days: Type.Array(Type.Object({ dayNumber: DayNumber, date: CalendarDate, ...load })),
  account: Type.Optional(
    Type.Object({
      address: Address,
      nextDueDay: Nullable(DayNumber),
      nextDueDate: CalendarDate,
      coveredPayments: Type.Integer({ minimum: 0, description: "Payments before the first that fails" }),
      firstFailure: Nullable(
        Type.Object({ id: Bytes32, dayNumber: DayNumber, date: CalendarDate, outcome: PaymentOutcome }),
      ),
    }),
  ),
});
