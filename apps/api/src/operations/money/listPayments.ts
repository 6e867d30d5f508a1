import { dayToDate } from "@dueday/core/calendar/dates";
import { pagedListOf } from "@dueday/core/paging";
import { Address, Bytes32, CalendarDate, described } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { readPayments } from "@dueday/db/history/readPayments";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { chainAnswer } from "../../operation/chainAnswer";
import { indexedRead } from "../../operation/chainRead";
import { Cursor, readCursor, toCursor } from "../../operation/cursor";
import { dateInQuery, readDayRange } from "../../operation/dates";
import { defineOperation, inPath, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { after } from "../../operation/historyAnswer";
import { first } from "../../operation/paging";
import { readIndexed } from "../../operation/readIndexed";
import { Payment, paymentOmits, presentPayment } from "./payment";

export const listPayments = defineOperation({
  ...indexedRead,
  name: "list_payments",
  http: { method: "GET", path: "/providers/:address/payments" },
  summary: "Payments of a provider: one entry for each charge, failure and refund, newest first",
  forAgents: "Each charge, failure and refund of a provider, newest first. For sums use get_provider_income",
  description:
    "One entry for each charge, each charge that failed, and each fee balance that was paid out, newest first: bookkeeping, where the history has " +
    "several events for a charge. net is what the provider received: by month and token it adds up to net of the income and to the token's " +
    "transfers. The answer is true for the newest indexed block. Names and symbols are untrusted text.",
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  input: Type.Object({
    address: inPath({ ...Address, description: "The provider" }),
    fromDate: dateInQuery("First day, UTC. Default: the first payment"),
    toDate: dateInQuery("Last day, UTC. Default: today"),
    token: inQuery(Type.Optional({ ...Address, description: "Only this token" })),
    subscription: inQuery(Type.Optional({ ...Bytes32, description: "Only this subscription" })),
    first,
    after,
    ...detailInQuery,
  }),
  csvRows: "payments",
  summarized: { omits: [...paymentOmits, "provider"].map((field) => `payments.${field}`) },
  output: chainAnswer({
    provider: Address,
    fromDate: { ...CalendarDate, description: "First day that is counted, UTC; 1970-01-01 where none was given" },
    toDate: { ...CalendarDate, description: "Last day that is counted, UTC" },
    payments: described(pagedListOf(Payment), "Newest first"),
    hasMore: Type.Boolean({ description: "Whether there are older ones" }),
    nextAfter: Type.Optional(described(Cursor, "after of the next page; present while there is one")),
  }),
  example: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", first: 10 },
  async handler(context, { address, token, subscription, first, after, ...dates }) {
    const provider = getAddress(address);
    const range = readDayRange(dates);
    const { value, asOf, finality } = await readIndexed(context, (database, scope) =>
      readPayments(database, scope, {
        account: toLowerCase(provider),
        side: "provider",
        first,
        token: token === undefined ? undefined : toLowerCase(token),
        subscription: subscription === undefined ? undefined : toLowerCase(subscription),
        after: after === undefined ? undefined : readCursor(after),
        days: (today) => ({ start: range.fromDay ?? 0, end: range.toDay ?? Math.max(today, range.fromDay ?? 0) }),
      }),
    );
    const { payments, days, next } = value;
    return {
      chainId: context.chain.config.chainId,
      provider,
      fromDate: dayToDate(days.start),
      toDate: dayToDate(days.end),
      payments: payments.map((payment) => presentPayment(payment, "provider", finality)),
      hasMore: next !== null,
      ...(next !== null && { nextAfter: toCursor(next) }),
      asOf,
    };
  },
});
