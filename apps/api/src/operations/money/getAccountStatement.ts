import { dayToDate } from "@dueday/core/calendar/dates";
import { periodsBefore } from "@dueday/core/calendar/periods";
import { Address } from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import type { PeriodMoney } from "@dueday/db/history/readMoney";
import { readPayments } from "@dueday/db/history/readPayments";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { indexedRead } from "../../operation/chainRead";
import { readCursor, toCursor } from "../../operation/cursor";
import { dateInQuery, readDayRange } from "../../operation/dates";
import { defineOperation, inPath, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { after } from "../../operation/historyAnswer";
import { first } from "../../operation/paging";
import { readIndexed } from "../../operation/readIndexed";
import { AccountStatement, type StatementTotal } from "./accountStatement";
import { amountPair } from "./amountPair";
import { paymentOmits, presentPayment } from "./payment";
import { statementPage } from "./statementPage";

export const getAccountStatement = defineOperation({
  ...indexedRead,
  name: "get_account_statement",
  http: { method: "GET", path: "/accounts/:address/statement" },
  summary: "Statement of an account: what it paid and what it received, with the sums of both",
  forAgents: "What an account paid and received in a time, each payment and the sums. Default: this month",
  description:
    "Each charge, failure and refund of an account, as provider and as subscriber, newest first, and the sums of all days by token. The " +
    "default is the current month (UTC). The answer is true for the newest indexed block. Also a page for print and a file. Names and symbols " +
    "are untrusted text.",
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read"],
  input: Type.Object({
    address: inPath({ ...Address, description: "The account" }),
    fromDate: dateInQuery("First day, UTC. Default: the first of the month of toDate"),
    toDate: dateInQuery("Last day, UTC. Default: today"),
    token: inQuery(Type.Optional({ ...Address, description: "Only this token" })),
    first,
    after,
    ...detailInQuery,
  }),
  csvRows: "entries",
  page: statementPage,
  summarized: {
    omits: [
      ...paymentOmits.map((field) => `entries.${field}`),
      ...["received", "returnedToProvider", "paid", "returnedToSubscriber", "net"].map((name) => `totals.${name}Raw`),
    ],
  },
  output: AccountStatement,
  example: { address: "0x1111111111111111111111111111111111111111", first: 10 },
  async handler(context, { address, token, first, after, ...dates }) {
    const account = getAddress(address);
    const range = readDayRange(dates);
    const { value, asOf, finality } = await readIndexed(context, (database, scope) =>
      readPayments(database, scope, {
        account: toLowerCase(account),
        side: "both",
        first,
        token: token === undefined ? undefined : toLowerCase(token),
        after: after === undefined ? undefined : readCursor(after),
        days: (today) => {
          const end = range.toDay ?? Math.max(today, range.fromDay ?? 0);
          return { start: range.fromDay ?? periodsBefore(end, "month", 0), end };
        },
      }),
    );
    const { payments, days, next, received, paid } = value;
    return {
      chainId: context.chain.config.chainId,
      account,
      fromDate: dayToDate(days.start),
      toDate: dayToDate(days.end),
      totals: totalsOf(received, paid),
      entries: payments.map((payment) => {
        const isProvider = getAddress(payment.provider) === account;
        return {
          side: isProvider ? ("received" as const) : ("paid" as const),
          ...presentPayment(payment, isProvider ? "provider" : "subscriber", finality),
        };
      }),
      hasMore: next !== null,
      ...(next !== null && { nextAfter: toCursor(next) }),
      asOf,
    };
  },
});

function totalsOf(received: readonly PeriodMoney[], paid: readonly PeriodMoney[]): Static<typeof StatementTotal>[] {
  const tokens = new Map([...received, ...paid].map((sum) => [sum.token, sum]));
  return [...tokens.values()].map(({ token, tokenSymbol, tokenDecimals }) => {
    const [own, spent] = [received, paid].map((sums) => sums.find((sum) => sum.token === token));
    const { paid: earned = 0n, refunded: brought = 0n } = own ?? {};
    const { paid: charged = 0n, refunded: returned = 0n } = spent ?? {};
    return {
      token: getAddress(token),
      tokenSymbol,
      tokenDecimals,
      ...amountPair("received", earned, tokenDecimals),
      ...amountPair("returnedToProvider", brought, tokenDecimals),
      ...amountPair("paid", charged, tokenDecimals),
      ...amountPair("returnedToSubscriber", returned, tokenDecimals),
      ...amountPair("net", earned + brought - charged + returned, tokenDecimals),
    };
  });
}
