import { presentDueDay } from "@dueday/chain/due/presentDueDay";
import { pagesOfQuery, presentDueHead } from "@dueday/chain/due/presentDueHead";
import { readDueDay } from "@dueday/chain/due/readDueDays";
import { dayNumber } from "@dueday/core/calendar/dayNumber";
import { requestedDay } from "@dueday/core/calendar/requestedDay";
import { ServiceError, validationError } from "@dueday/core/errors";
import { pagedListOf } from "@dueday/core/paging";
import { filterKey, readPaymentFilter } from "@dueday/core/remit/paymentFilter";
import { Bytes32, DayNumber, Frequency, PositiveCount } from "@dueday/core/schema";
import { DueDay, DueList, DueSubscription } from "@dueday/core/snapshots/dueDay";
import { Type } from "@sinclair/typebox";
import type { ServedChain } from "../../chains/servedChain";
import { answerLiveOnce, answerUnindexed } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { chainRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { atBlock } from "../../operation/historyAnswer";
import { FIRST_DEFAULT, first, skip } from "../../operation/paging";
import { dueParameters } from "./dueParameters";
import { filterInQuery } from "./filterInQuery";

const DueResult = Type.Composite([
  Type.Omit(DueList, ["subscriptions", "totals", "settled", "missed"]),
  Type.Object({
    hasMore: Type.Boolean(),
    nextSkip: Type.Optional(PositiveCount),
    subscriptionIds: pagedListOf(Bytes32),
    subscriptions: pagedListOf(DueSubscription),
  }),
]);

export const getSubscriptionsDue = defineOperation({
  ...chainRead,
  name: "get_subscriptions_due",
  http: { method: "GET", path: "/subscriptions/due" },
  summary: "Subscriptions due on a given day and frequency",
  forAgents: "What is due on one day (default today)",
  description:
    "The due lists of one calendar day: today without dayNumber or date, in all four frequencies without frequency. Today is the " +
    "day of the chain's latest block. Past and future days are valid. totals is what remit() will still charge, as GET /remit/plan and " +
    "GET /remit/forecast have it: nothing once the day is closed. settled is what it has charged, missed what it passes over. " +
    "first and skip page each list, and atBlock keeps pages on one state; count and the three sums cover all entries, with frequency those of that frequency. dayState is " +
    "that of the whole day. With account, provider or subscription, lists and sums are of those payments alone; with account, " +
    "subscribers counts those accounts.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "keeper"],
  errors: ["NOT_INDEXED", "UPSTREAM_ERROR", "UPSTREAM_UNAVAILABLE", "UPSTREAM_TIMEOUT"],
  input: Type.Object({
    dayNumber: inQuery(Type.Optional(DayNumber)),
    date: inQuery(
      Type.Optional(
        Type.String({
          pattern: "^\\d{4}-\\d{2}-\\d{2}$",
          maxLength: 10,
          expects: "a date such as 2026-03-31",
          description: "UTC day, YYYY-MM-DD",
        }),
      ),
    ),
    frequency: inQuery(Type.Optional(Frequency)),
    ...filterInQuery,
    first,
    skip,
    atBlock,
    ...detailInQuery,
  }),
  summarized: {
    omits: [
      ...["token", "amountRaw", "tokenDecimals", "frequency", "frequencyLabel"].map(
        (name) => `results.subscriptions.${name}`,
      ),
      "results.subscriptionIds",
      "totals.byToken.amountRaw",
      "totals.byToken.tokenDecimals",
    ],
  },
  output: chainAnswer({
    ...Type.Omit(DueDay, ["lists"]).properties,
    results: Type.Array(DueResult, { maxItems: 4 }),
  }),
  example: { frequency: 1, first: FIRST_DEFAULT },
  snapshot({ chain }, input) {
    if (readPaymentFilter(input) !== null) return null;
    const today = currentDay(chain);
    const day = requestedDay(input) ?? today;
    // Past days are no longer scanned, so their snapshots may be out of date.
    if (day === null || today === null || day < today) return null;
    const { frequency, first, skip, atBlock: block } = input;
    const query = { frequency, first, skip };
    return {
      kind: "due",
      key: String(day),
      ...(block !== undefined && { atBlock: BigInt(block) }),
      variant: `due ${frequency ?? "all"} ${first} ${skip}`,
      pages: (head) => pagesOfQuery(head, query),
      present: (head, pages) => presentDueHead(head, pages, query),
    };
  },
  async handler(context, input) {
    const { chain } = context;
    const day = requestedDay(input) ?? knownToday(chain);
    const filter = readPaymentFilter(input);
    const answer = chain.snapshots.newest() === null ? answerUnindexed : answerLiveOnce;
    const { frequency, first, skip } = input;
    const { chainId, asOf, ...dueDay } = await answer(context, `due ${day} ${filterKey(filter)}`, (client, block) =>
      readDueDay(client, { ...dueParameters(context, block, filter), day }),
    );
    if (input.atBlock !== undefined && asOf.blockNumber !== input.atBlock) throw unknownState();
    return { chainId, ...presentDueDay(dueDay, { frequency, first, skip }), asOf };
  },
});

function unknownState(): ServiceError {
  return validationError(
    "atBlock",
    "UNKNOWN_BLOCK",
    "must be asOf.blockNumber of an answer of the last ten minutes whose block was not replaced since (with a filter, or for a past day: the newest block); leave it out to start again at the newest block",
  );
}

function knownToday(chain: ServedChain): number {
  const today = currentDay(chain);
  if (today !== null) return today;
  throw new ServiceError("NOT_INDEXED", "This chain has not been read yet; try again in a few seconds", {
    headers: { "Retry-After": "5" },
  });
}

/** The day of the chain's latest known block, from the node's head or the newest snapshot; null while neither is known. */
function currentDay({ monitor, snapshots }: ServedChain): number | null {
  const head = monitor.head()?.timestamp;
  const scanned = snapshots.newest()?.stamp.blockTimestamp;
  if (head === undefined && scanned === undefined) return null;
  return dayNumber(Math.max(Number(head ?? 0), Number(scanned ?? 0)));
}
