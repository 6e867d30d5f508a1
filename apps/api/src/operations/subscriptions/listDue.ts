import { readDueDays } from "@dueday/chain/reads/readDueDays";
import { presentDueDay } from "@dueday/chain/subscriptions/presentDueDay";
import { dateToDay } from "@dueday/core/calendar/dates";
import { ServiceError, validationError } from "@dueday/core/errors";
import { Bytes32, CalendarDate, DayNumber, Frequency } from "@dueday/core/schema";
import { DueList, DueSubscription, DueTotals } from "@dueday/core/snapshots/dueDay";
import { Type } from "@sinclair/typebox";
import { answerLiveOnce, answerUnindexed } from "../../chains/answerLive";
import { currentDay } from "../../chains/currentDay";
import type { ServedChain } from "../../chains/servedChain";
import { chainAnswer } from "../../operation/chainAnswer";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { FIRST_DEFAULT, first, skip } from "../../operation/paging";
import type { SnapshotView } from "../../snapshots/snapshotView";

const DueResult = Type.Composite([
  Type.Omit(DueList, ["subscriptions"]),
  Type.Object({
    hasMore: Type.Boolean(),
    nextSkip: Type.Optional(Type.Integer({ minimum: 1 })),
    subscriptionIds: Type.Array(Bytes32),
    subscriptions: Type.Array(DueSubscription),
  }),
]);

/** The input of a polled URL is the same each time, and so is its view for as long as the day lasts. */
const views = new WeakMap<object, { day: number; view: SnapshotView }>();

export const listDue = defineOperation({
  name: "get_subscriptions_due",
  http: { method: "GET", path: "/subscriptions/due" },
  summary: "Subscriptions due on a given day and frequency",
  description:
    "What the due lists hold, now, for one calendar day: today unless dayNumber or date says otherwise, in all four " +
    "frequencies unless one is named. Today is the day of the chain's latest block. Days of the past and the future are valid. " +
    "first and skip page each list; count and totals always cover the whole day.",
  chainScoped: true,
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "keeper"],
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: true },
  errors: ["NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({
    dayNumber: inQuery(Type.Optional(DayNumber)),
    date: inQuery(
      Type.Optional(
        Type.String({
          pattern: "^\\d{4}-\\d{2}-\\d{2}$",
          expects: "a date such as 2026-03-31",
          description: "UTC day",
        }),
      ),
    ),
    frequency: inQuery(Type.Optional(Frequency)),
    first,
    skip,
  }),
  output: chainAnswer({
    dayNumber: DayNumber,
    date: CalendarDate,
    results: Type.Array(DueResult),
    totals: DueTotals,
  }),
  example: { frequency: 1, first: FIRST_DEFAULT },
  snapshot({ chain }, input) {
    const today = currentDay(chain);
    const day = requestedDay(input) ?? today;
    // A day of the past is not scanned any more: what is still held of it may be long out of date.
    if (day === null || today === null || day < today) return null;
    const known = views.get(input);
    if (known?.day === day) return known.view;
    const { frequency, first, skip } = input;
    const view: SnapshotView = {
      kind: "due",
      key: String(day),
      variant: `due ${frequency ?? "all"} ${first} ${skip}`,
      present: (dueDay) => presentDueDay(dueDay, { frequency, first, skip }),
    };
    views.set(input, { day, view });
    return view;
  },
  async handler(context, input) {
    const { chain } = context;
    const day = requestedDay(input) ?? knownToday(chain);
    const answer = chain.snapshots.newest() === null ? answerUnindexed : answerLiveOnce;
    const { contract } = chain.config;
    const { frequency, first, skip } = input;
    const { chainId, asOf, ...dueDay } = await answer(context, `due ${day}`, async (client, block) => {
      const [found] = await readDueDays(client, { contract, days: [day], block });
      if (found === undefined) throw new Error(`no due lists were read for day ${day}`);
      return found;
    });
    return { chainId, ...presentDueDay(dueDay, { frequency, first, skip }), asOf };
  },
});

function requestedDay(input: { dayNumber?: number; date?: string }): number | null {
  if (input.date === undefined) return input.dayNumber ?? null;
  const day = dateToDay(input.date);
  if (day === null) throw validationError("date", "MALFORMED", "must be a date of the calendar, such as 2026-03-31");
  if (input.dayNumber !== undefined && input.dayNumber !== day) {
    throw validationError("dayNumber", "CONTRADICTION", `is not the day number of date (${day}); give one of the two`);
  }
  return day;
}

function knownToday(chain: ServedChain): number {
  const today = currentDay(chain);
  if (today !== null) return today;
  throw new ServiceError("NOT_INDEXED", "This chain has not been read yet; try again in a moment", {
    headers: { "Retry-After": "5" },
  });
}
