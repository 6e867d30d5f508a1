import { type Static, type TProperties, Type } from "@sinclair/typebox";
import { DUE_LIST_LIMIT, listOf } from "../paging";
import {
  CalendarDate,
  Count,
  DayNumber,
  DecimalString,
  described,
  Frequency,
  FrequencyLabel,
  Nullable,
  Sentence,
  Subscription,
  TokenAmount,
  TokenUnits,
} from "../schema";

/** The state of a due subscription on its day. */
export const DueState = Type.Union(
  [Type.Literal("settled"), Type.Literal("open"), Type.Literal("upcoming"), Type.Literal("missed")],
  {
    description:
      "settled: remit() is through with it on this day. open: remit() has not closed the day yet. upcoming: a later day. missed: the " +
      "protocol's paging passes it over, so the day is closed without charging it",
  },
);
export type DueState = Static<typeof DueState>;

/** The state of a day. */
export const DayState = Type.Union(
  [Type.Literal("settled"), Type.Literal("partly_settled"), Type.Literal("open"), Type.Literal("upcoming")],
  {
    description:
      "settled: remit() has closed the day. partly_settled: a page of it is settled. open: the day has come and nothing of it is " +
      "settled. upcoming: a day after today",
  },
);
export type DayState = Static<typeof DayState>;

/** Why remit() will not charge any subscriber of a subscription. */
export const NotChargeable = Type.Union(
  [
    Type.Literal("cancelled"),
    Type.Literal("token_paused"),
    Type.Literal("no_subscribers"),
    Type.Literal("day_settled"),
    Type.Literal("missed"),
    Type.Literal("blocked"),
  ],
  {
    description:
      "Absent when chargeable. no_subscribers: none now, or none left by then because earlier payments fail. missed: passed over by " +
      "the protocol's paging. blocked: remit() reverts before it; see GET /remit/readiness",
  },
);
export type NotChargeable = Static<typeof NotChargeable>;

/** A subscription in a due list, and what remit() will still charge for it on that day. */
export const DueSubscription = Type.Composite([
  Subscription,
  Type.Object({
    subscribers: described(
      Count,
      "Active subscribers; on a settled day those that remit() charged; of a missed subscription those that it passed over. Those who joined later are not among them",
    ),
    state: DueState,
    payments: described(Count, "Payments that remit() will still handle for it on this day, failures included"),
    chargeable: Type.Boolean({ description: "remit() will still handle payments for it on this day" }),
    reason: Type.Optional(NotChargeable),
  }),
]);
export type DueSubscription = Static<typeof DueSubscription>;

const payments = described(Count, "Payments, failures included");

function byToken<T extends TProperties>(counts: T) {
  return listOf(Type.Object({ ...TokenAmount.properties, ...counts }));
}

/** What remit() will still charge for that day, on all pages together: nothing once the day is settled. */
export const DueTotals = Type.Object({
  subscriptions: described(Count, "Subscriptions with payments to come"),
  payments,
  expectedFailures: described(Count, "Payments that the balance or allowance will not cover"),
  byToken: described(
    byToken({ subscriptions: Count, payments: Count }),
    "amount is the sum of the payments that succeed",
  ),
});
export type DueTotals = Static<typeof DueTotals>;

/** What remit() has charged for that day, by the events. */
export const SettledTotals = Type.Object({
  payments,
  failures: Count,
  byToken: byToken({
    payments: Count,
    failures: Count,
    failedAmount: DecimalString,
    failedAmountRaw: TokenUnits,
  }),
});
export type SettledTotals = Static<typeof SettledTotals>;

/** What the protocol's paging passes over on that day. */
export const MissedTotals = Type.Object({
  subscriptions: Count,
  payments: described(Count, "Subscribers that are not charged"),
  byToken: byToken({ payments: Count }),
});
export type MissedTotals = Static<typeof MissedTotals>;

/** The sums of a day, or of one of its lists. */
const dueSums = {
  totals: DueTotals,
  settled: Type.Union(Nullable(SettledTotals).anyOf, {
    description: "What remit() has charged for this day; null while the event index has not reached the block of asOf",
  }),
  missed: MissedTotals,
};

/** One due list: the subscriptions of one frequency that are due on the day. */
export const DueList = Type.Object({
  frequency: Frequency,
  frequencyLabel: FrequencyLabel,
  dueDay: Type.Integer({ minimum: 1, maximum: 366, description: "The day's number in the frequency's own counting" }),
  skipped: Type.Boolean({ description: "No subscription of this frequency can be due on such a day" }),
  skipReason: Type.Optional(Sentence),
  count: described(Count, "Length of the whole due list"),
  subscriptions: Type.Array(DueSubscription, { maxItems: DUE_LIST_LIMIT }),
  ...dueSums,
});
export type DueList = Static<typeof DueList>;

/** The due lists of a day in list order, at most DUE_LIST_LIMIT entries of each. */
export const DueDay = Type.Object({
  dayNumber: DayNumber,
  date: CalendarDate,
  dayState: DayState,
  lists: Type.Array(DueList, { maxItems: 4 }),
  ...dueSums,
});
export type DueDay = Static<typeof DueDay>;

/** Entries of a stored page of a due list; the last page of a list may have fewer. */
export const DUE_PAGE_ENTRIES = 100;

/** Entries of a due list that are stored together. */
export const DuePage = Type.Array(DueSubscription, { maxItems: DUE_PAGE_ENTRIES });
export type DuePage = Static<typeof DuePage>;

/** A due list without its entries. */
export const DueListHead = Type.Composite([
  Type.Omit(DueList, ["subscriptions"]),
  Type.Object({
    held: described(Count, "Entries in the pages"),
    pages: Type.Array(Type.String({ pattern: "^[0-9a-f]{32}$" }), {
      // DUE_LIST_LIMIT entries in pages of DUE_PAGE_ENTRIES. A division here would bring TypeBox into the SDK's local mode.
      maxItems: 52,
      description: "Hashes of the pages, in list order",
    }),
  }),
]);
export type DueListHead = Static<typeof DueListHead>;

/**
 * Snapshot `due`, one for each day: a due day whose entries are in separate pages, each stored under the hash of its content. So the
 * size of a snapshot is bounded, a change writes only the pages that differ, and all pages that a head names belong to one state.
 */
export const DueDayHead = Type.Composite([
  Type.Omit(DueDay, ["lists"]),
  Type.Object({ lists: Type.Array(DueListHead, { maxItems: 4 }) }),
]);
export type DueDayHead = Static<typeof DueDayHead>;
