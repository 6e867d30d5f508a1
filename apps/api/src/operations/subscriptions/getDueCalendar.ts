import { presentCalendarDay } from "@dueday/chain/due/presentCalendarDay";
import { readDueDays } from "@dueday/chain/due/readDueDays";
import { monthDays } from "@dueday/core/calendar/monthDays";
import { validationError } from "@dueday/core/errors";
import { filterKey, readPaymentFilter } from "@dueday/core/remit/paymentFilter";
import { CalendarDay } from "@dueday/core/schemas/dueCalendar";
import { Type } from "@sinclair/typebox";
import { answerLiveOnce } from "../../operation/answerLive";
import { chainAnswer } from "../../operation/chainAnswer";
import { liveRead } from "../../operation/chainRead";
import { defineOperation, inQuery } from "../../operation/defineOperation";
import { detailInQuery } from "../../operation/detail";
import { dueParameters } from "./dueParameters";
import { filterInQuery } from "./filterInQuery";

const Month = Type.String({
  pattern: "^\\d{4}-\\d{2}$",
  maxLength: 7,
  expects: "a month as YYYY-MM, such as 2026-03, from 1970-01 on",
  description: "UTC month, YYYY-MM",
});

export const getDueCalendar = defineOperation({
  ...liveRead,
  name: "get_due_calendar",
  http: { method: "GET", path: "/subscriptions/due/calendar" },
  summary: "A month of due days: what is open, upcoming, settled, missed and failed on each, by token",
  forAgents:
    "A month at a glance: payments open, upcoming, settled, failed and missed on each day. For one day use get_subscriptions_due",
  description:
    "One row for each day of the month, with the sums of GET /subscriptions/due: open and upcoming are what remit() will still charge, " +
    "by the plan; settled, failed and missed are what happened, by the events, and null while the event index is behind. Beyond 35 days " +
    "every active subscriber counts as paying.",
  bucket: "cheap",
  area: "subscriptions",
  toolsets: ["read", "provider"],
  input: Type.Object({ month: inQuery(Month), ...filterInQuery, ...detailInQuery }),
  summarized: {
    omits: [
      "days.dayNumber",
      ...["open", "upcoming", "settled", "failed", "missed"].flatMap((sum) =>
        ["token", "amountRaw", "tokenDecimals"].map((name) => `days.${sum}.byToken.${name}`),
      ),
    ],
  },
  output: chainAnswer({ month: Month, days: Type.Array(CalendarDay, { maxItems: 31 }) }),
  example: { month: "2026-03" },
  async handler(context, { month, ...input }) {
    const filter = readPaymentFilter(input);
    const days = monthDays(month);
    if (days === null) throw validationError("month", "MALFORMED", `must be ${Month.expects}`);
    const { chainId, asOf, due } = await answerLiveOnce(
      context,
      `calendar ${month} ${filterKey(filter)}`,
      async (client, block) => ({
        due: await readDueDays(client, { ...dueParameters(context, block, filter), days }),
      }),
    );
    return { chainId, month, days: due.map(presentCalendarDay), asOf };
  },
});
