import { type Static, Type } from "@sinclair/typebox";
import { CalendarDate, Count, DayNumber, Frequency, FrequencyLabel, Subscription, TokenAmount } from "../schema";

/** Most entries of one due list that an answer can reach: `skip` 5,000 and `first` 200. */
export const DUE_LIST_LIMIT = 5_200;

/** A subscription in a due list, and whether a remit of that day would charge anybody for it. */
export const DueSubscription = Type.Composite([
  Subscription,
  Type.Object({
    subscribers: Type.Integer({ minimum: 0, description: "Active subscribers: the payments it makes" }),
    chargeable: Type.Boolean(),
    reason: Type.Optional(
      Type.Union([Type.Literal("cancelled"), Type.Literal("token_paused"), Type.Literal("no_subscribers")], {
        description: "Why nobody would be charged; absent when chargeable",
      }),
    ),
  }),
]);
export type DueSubscription = Static<typeof DueSubscription>;

/** One due list: the subscriptions of one frequency that are due on the day. */
export const DueList = Type.Object({
  frequency: Frequency,
  frequencyLabel: FrequencyLabel,
  dueDay: Type.Integer({ minimum: 1, maximum: 366, description: "The day's number in the frequency's own counting" }),
  skipped: Type.Boolean({ description: "No subscription of this frequency can be due on such a day" }),
  skipReason: Type.Optional(Type.String()),
  count: Type.Integer({ minimum: 0, description: "Length of the whole due list" }),
  subscriptions: Type.Array(DueSubscription),
});
export type DueList = Static<typeof DueList>;

/** Sums over everything due that day, whatever page is shown. `byToken` is what chargeable payments would move. */
export const DueTotals = Type.Object({
  subscriptions: Count,
  payments: Type.Integer({ minimum: 0, description: "Active subscribers of chargeable subscriptions" }),
  byToken: Type.Array(Type.Composite([TokenAmount, Type.Object({ subscriptions: Count, payments: Count })])),
});
export type DueTotals = Static<typeof DueTotals>;

/** Snapshot `due`, one for each day: the due lists of a day in list order, at most DUE_LIST_LIMIT entries of each. */
export const DueDay = Type.Object({
  dayNumber: DayNumber,
  date: CalendarDate,
  lists: Type.Array(DueList),
  totals: DueTotals,
});
export type DueDay = Static<typeof DueDay>;
