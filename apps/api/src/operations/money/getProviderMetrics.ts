import { formatUnits } from "@dueday/core/amounts/decimalText";
import { roundTwelfths } from "@dueday/core/amounts/monthlyRevenue";
import { dayToDate } from "@dueday/core/calendar/dates";
import { listOf } from "@dueday/core/paging";
import {
  Address,
  Bytes32,
  CalendarDate,
  Count,
  DecimalString,
  described,
  Nullable,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { type PeriodMetrics, readMetrics } from "@dueday/db/history/readMetrics";
import { type Static, Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { chainAnswer } from "../../operation/chainAnswer";
import { indexedRead } from "../../operation/chainRead";
import { readDayRange } from "../../operation/dates";
import { defineOperation, inPath, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { readIndexed } from "../../operation/readIndexed";
import { amountPair } from "./amountPair";
import { Group, periodInput, requestedPeriods, tooManyPeriods } from "./requestedPeriods";

const mrr = { ...DecimalString, description: "Rounded half to even" };
const twelfths = { ...TokenUnits, description: "Exact, in twelfths of token units" };

const Metrics = Type.Object({
  start: { ...CalendarDate, description: "First day of the period that is counted" },
  end: { ...CalendarDate, description: "Last day, included" },
  token: Address,
  tokenSymbol: UntrustedText,
  tokenDecimals: TokenDecimals,
  activeStart: { ...Count, description: "Active members before the period" },
  new: { ...Count, description: "Joined for the first time" },
  reactivated: { ...Count, description: "Came back" },
  left: { ...Count, description: "Left by themselves" },
  failed: { ...Count, description: "Ended by a failed charge" },
  removed: { ...Count, description: "Removed, or their plan cancelled" },
  activeEnd: { ...Count, description: "Active members after it" },
  mrrStart: { ...mrr, description: "Monthly recurring revenue before" },
  mrrNew: mrr,
  mrrReactivated: mrr,
  mrrLeft: mrr,
  mrrFailed: mrr,
  mrrRemoved: mrr,
  mrrEnd: { ...mrr, description: "The same after it" },
  mrrStartRaw12: twelfths,
  mrrNewRaw12: twelfths,
  mrrReactivatedRaw12: twelfths,
  mrrLeftRaw12: twelfths,
  mrrFailedRaw12: twelfths,
  mrrRemovedRaw12: twelfths,
  mrrEndRaw12: twelfths,
  charged: { ...DecimalString, description: "All charges: the sum of gross of the payments" },
  chargedRaw: { ...TokenUnits, description: "The same in token units" },
  net: { ...DecimalString, description: "Received: the same as net of the income" },
  netRaw: { ...TokenUnits, description: "The same in token units" },
  failures: { ...Count, description: "Failed charges" },
  recovered: {
    ...Nullable(Count),
    description: "Charges that passed after payment.will_fail; null for periods before these were recorded",
  },
});

const movements = ["New", "Reactivated", "Left", "Failed", "Removed"];

export const getProviderMetrics = defineOperation({
  ...indexedRead,
  name: "get_provider_metrics",
  http: { method: "GET", path: "/providers/:address/metrics" },
  summary: "Members and monthly recurring revenue of a provider by day, week or month",
  forAgents: "Members, churn and monthly recurring revenue of a provider by period and token",
  description:
    "Who came, who left and what recurs each month, by period and token. A member is one account in one subscription; it is active until it " +
    "leaves, is removed, fails to pay, or the subscription is cancelled. mrr is the amount times 52/12, 1, 1/3 or 1/12 by frequency. " +
    "activeStart + new + reactivated - left - failed - removed is activeEnd, and the same holds for the mrr fields ending in Raw12, which are " +
    "exact: twelfths of token units. Periods with neither members nor money are left out. The answer is true for the newest indexed block. tokenSymbol is " +
    "untrusted text.",
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  input: Type.Object({
    address: inPath({ ...Address, description: "The provider" }),
    ...periodInput,
    token: inQuery(Type.Optional({ ...Address, description: "Only this token" })),
    subscription: inQuery(Type.Optional({ ...Bytes32, description: "Only this subscription" })),
    ...detailInQuery,
  }),
  csvRows: "periods",
  summarized: {
    omits: [
      "tokenDecimals",
      "chargedRaw",
      "netRaw",
      ...movements.map((movement) => `mrr${movement}`),
      ...["Start", ...movements, "End"].map((name) => `mrr${name}Raw12`),
    ].map((field) => `periods.${field}`),
  },
  output: chainAnswer({
    provider: Address,
    fromDate: { ...CalendarDate, description: "First day that is counted, UTC" },
    toDate: { ...CalendarDate, description: "Last day that is counted, UTC" },
    group: { ...Group, description: "Length of a period" },
    periods: described(listOf(Metrics), "Oldest first, one entry for each token"),
  }),
  example: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", group: "month" },
  async handler(context, { address, group, token, subscription, ...dates }) {
    const provider = getAddress(address);
    const range = readDayRange(dates);
    const { value, asOf } = await readIndexed(context, (database, scope) =>
      readMetrics(database, scope, {
        provider: toLowerCase(provider),
        token: token === undefined ? undefined : toLowerCase(token),
        subscription: subscription === undefined ? undefined : toLowerCase(subscription),
        periods: (today) => requestedPeriods(range, group, today),
      }),
    );
    if (value === null) throw tooManyPeriods(group);
    const { periods, metrics } = value;
    return {
      chainId: context.chain.config.chainId,
      provider,
      fromDate: dayToDate(periods[0]?.start ?? 0),
      toDate: dayToDate(periods.at(-1)?.end ?? 0),
      group,
      periods: metrics.map(presentMetrics),
      asOf,
    };
  },
});

function presentMetrics(metrics: PeriodMetrics): Static<typeof Metrics> {
  const { period, token, tokenSymbol, tokenDecimals, counts, mrrStart, mrr, mrrEnd, charged, net } = metrics;
  const monthly = (exact: bigint) => formatUnits(roundTwelfths(exact), tokenDecimals);
  return {
    start: dayToDate(period.start),
    end: dayToDate(period.end),
    token: getAddress(token),
    tokenSymbol,
    tokenDecimals,
    activeStart: metrics.activeStart,
    new: counts.joined,
    reactivated: counts.reactivated,
    left: counts.left,
    failed: counts.failed,
    removed: counts.removed,
    activeEnd: metrics.activeEnd,
    mrrStart: monthly(mrrStart),
    mrrNew: monthly(mrr.joined),
    mrrReactivated: monthly(mrr.reactivated),
    mrrLeft: monthly(mrr.left),
    mrrFailed: monthly(mrr.failed),
    mrrRemoved: monthly(mrr.removed),
    mrrEnd: monthly(mrrEnd),
    mrrStartRaw12: String(mrrStart),
    mrrNewRaw12: String(mrr.joined),
    mrrReactivatedRaw12: String(mrr.reactivated),
    mrrLeftRaw12: String(mrr.left),
    mrrFailedRaw12: String(mrr.failed),
    mrrRemovedRaw12: String(mrr.removed),
    mrrEndRaw12: String(mrrEnd),
    ...amountPair("charged", charged, tokenDecimals),
    ...amountPair("net", net, tokenDecimals),
    failures: metrics.failures,
    recovered: metrics.recovered,
  };
}
