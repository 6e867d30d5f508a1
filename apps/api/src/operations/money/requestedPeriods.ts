import { type Period, type PeriodLength, periodsBefore, periodsOf } from "@dueday/core/calendar/periods";
import { type ServiceError, validationError } from "@dueday/core/errors";
import { Type } from "@sinclair/typebox";
import { type DayRange, dateInQuery } from "../../operation/dates";
import { inQuery } from "../../operation/defineOperation";
import { withDefault } from "../../operation/paging";

/** Periods that one answer sums: more than a year of days. */
const MOST_PERIODS = 400;

/** Periods before the current one that are summed where no `fromDate` is given. */
const PERIODS_BEFORE: Readonly<Record<PeriodLength, number>> = { day: 29, week: 11, month: 11 };

export const Group = Type.Union([Type.Literal("day"), Type.Literal("week"), Type.Literal("month")]);

/** The input of a view by periods. */
export const periodInput = {
  fromDate: dateInQuery("First day, UTC. Default: 30 days, 12 weeks or 12 months in all"),
  toDate: dateInQuery("Last day, UTC. Default: today"),
  group: inQuery(
    withDefault(
      {
        ...Group,
        description: `Weeks begin on Monday. At most ${MOST_PERIODS} periods`,
        expects: "day, week or month",
      },
      "month",
    ),
  ),
};

/** The periods that an input asks for, of an index that is at the day `today`; null where they are too many. */
export function requestedPeriods({ fromDay, toDay }: DayRange, group: PeriodLength, today: number): Period[] | null {
  // A range that begins after today has no sums yet, but is valid.
  const end = toDay ?? Math.max(today, fromDay ?? 0);
  const start = fromDay ?? periodsBefore(end, group, PERIODS_BEFORE[group]);
  return periodsOf({ start, end }, group, MOST_PERIODS);
}

export function tooManyPeriods(group: PeriodLength): ServiceError {
  const wider = group === "month" ? "" : `, or a longer group than ${group}`;
  return validationError(
    "fromDate",
    "OUT_OF_RANGE",
    `must be in one of the ${MOST_PERIODS} periods that end with that of toDate, by default today: ask for fewer days${wider}`,
  );
}
