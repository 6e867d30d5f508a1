import { type Static, Type } from "@sinclair/typebox";
import { listOf } from "../paging";
import { CalendarDate, Count, DayNumber, described, Nullable, TokenAmount } from "../schema";
import { DayState } from "../snapshots/dueDay";

/** Payments of one kind on one day. */
const Sum = Type.Object({
  payments: Count,
  byToken: listOf(Type.Object({ ...TokenAmount.properties, payments: Count })),
});

const sum = (description: string) => Type.Object(Sum.properties, { description });
const known = (description: string) => Type.Union(Nullable(Sum).anyOf, { description });

/** A day of GET /subscriptions/due/calendar. */
export const CalendarDay = Type.Object({
  dayNumber: DayNumber,
  date: CalendarDate,
  dayState: DayState,
  subscriptions: described(Count, "Subscriptions with payments to come"),
  open: sum("What remit() will still charge for a day that has come; amounts are of the payments that succeed"),
  upcoming: sum("What remit() will charge for a later day"),
  expectedFailures: described(Count, "Those of the open and upcoming payments that will fail"),
  settled: known("Payments that were made; null while the event index is behind"),
  failed: known("Payments that failed, with the amounts that were due; null while the event index is behind"),
  missed: sum("Subscribers that the protocol's paging passes over"),
});
export type CalendarDay = Static<typeof CalendarDay>;
