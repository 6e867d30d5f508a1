import { dayToDate } from "@dueday/core/calendar/dates";
import { firstDayOfMonth, monthOfDay, monthToText } from "@dueday/core/calendar/months";
import { validationError } from "@dueday/core/errors";
import { listOf } from "@dueday/core/paging";
import {
  Address,
  CalendarDate,
  Count,
  DecimalString,
  described,
  TokenDecimals,
  TokenUnits,
  UntrustedText,
} from "@dueday/core/schema";
import { toLowerCase } from "@dueday/core/text/toLowerCase";
import { readCohorts } from "@dueday/db/history/readCohorts";
import { Type } from "@sinclair/typebox";
import { getAddress } from "viem";
import { chainAnswer } from "../../operation/chainAnswer";
import { indexedRead } from "../../operation/chainRead";
import { CalendarMonth, dateInQuery, readDayRange } from "../../operation/dates";
import { defineOperation, inPath, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { withDefault } from "../../operation/paging";
import { readIndexed } from "../../operation/readIndexed";
import { amountPair } from "./amountPair";

/** Cohorts in one answer: three years. */
const MOST_COHORTS = 36;
const DEFAULT_COHORTS = 12;

const Month = Type.Literal("month");

export const getProviderCohorts = defineOperation({
  ...indexedRead,
  name: "get_provider_cohorts",
  http: { method: "GET", path: "/providers/:address/cohorts" },
  summary: "Retention of a provider's members by the month of their first charge",
  forAgents:
    "Retention: by month of the first charge, how many members are still active after each month, and what they paid",
  description:
    "Members by the month of their first charge: how many of them are active at the end of that month (the row with after 0) and of each later " +
    "month, and what they paid in each month. The newest month is counted up to now. A member is one account in one subscription; one that came " +
    "back stays in the cohort of its first charge. The answer is true for the newest indexed block. tokenSymbol is untrusted text.",
  bucket: "expensive",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  input: Type.Object({
    address: inPath({ ...Address, description: "The provider" }),
    group: inQuery(withDefault({ ...Month, description: "Length of a period", expects: "month" }, "month")),
    fromDate: dateInQuery(`Any day of the first month. Default: ${DEFAULT_COHORTS} months in all`),
    toDate: dateInQuery("Any day of the last month. Default: today"),
    token: inQuery(Type.Optional({ ...Address, description: "Only this token" })),
    ...detailInQuery,
  }),
  csvRows: "cohorts",
  summarized: { omits: ["cohorts.month", "cohorts.token", "cohorts.tokenDecimals", "cohorts.paidRaw"] },
  output: chainAnswer({
    provider: Address,
    fromDate: { ...CalendarDate, description: "First day of the first cohort" },
    toDate: { ...CalendarDate, description: "Last day of the last cohort" },
    group: { ...Month, description: "Length of a period" },
    cohorts: described(
      listOf(
        Type.Object({
          cohort: described(CalendarMonth, "Month of the first charge, such as 2026-03"),
          after: {
            ...Count,
            description: "Months from the month of the first charge to month: 0 for that month itself",
          },
          month: described(CalendarMonth, "The month that is described"),
          token: Address,
          tokenSymbol: UntrustedText,
          tokenDecimals: TokenDecimals,
          joined: { ...Count, description: "Members of the cohort" },
          active: { ...Count, description: "Of them active at the end of the month" },
          paid: { ...DecimalString, description: "Paid by them in the month" },
          paidRaw: { ...TokenUnits, description: "The same in token units" },
        }),
      ),
      "By cohort, token and month, oldest first",
    ),
  }),
  example: { address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913" },
  async handler(context, { address, group, token, ...dates }) {
    const provider = getAddress(address);
    const { fromDay, toDay } = readDayRange(dates);
    const { value, asOf } = await readIndexed(context, (database, scope) =>
      readCohorts(database, scope, {
        provider: toLowerCase(provider),
        token: token === undefined ? undefined : toLowerCase(token),
        months(thisMonth) {
          const from = fromDay === undefined ? undefined : monthOfDay(fromDay);
          const to = toDay === undefined ? Math.max(thisMonth, from ?? 0) : monthOfDay(toDay);
          const first = from ?? to - DEFAULT_COHORTS + 1;
          return to - first < MOST_COHORTS ? { from: first, to } : null;
        },
      }),
    );
    if (value === null)
      throw validationError(
        "fromDate",
        "OUT_OF_RANGE",
        `must be in one of the ${MOST_COHORTS} months that end with that of toDate, by default this month`,
      );
    const { months, cohorts } = value;
    return {
      chainId: context.chain.config.chainId,
      provider,
      fromDate: dayToDate(firstDayOfMonth(months.from)),
      toDate: dayToDate(firstDayOfMonth(months.to + 1) - 1),
      group,
      cohorts: cohorts.map(({ cohort, month, token: of, tokenSymbol, tokenDecimals, joined, active, paid }) => ({
        cohort: monthToText(cohort),
        after: month - cohort,
        month: monthToText(month),
        token: getAddress(of),
        tokenSymbol,
        tokenDecimals,
        joined,
        active,
        ...amountPair("paid", paid, tokenDecimals),
      })),
      asOf,
    };
  },
});
