import { dateToDay } from "@dueday/core/calendar/dates";
import { DAY_SECONDS } from "@dueday/core/calendar/dayNumber";
import { validationError } from "@dueday/core/errors";
import { Type } from "@sinclair/typebox";
import { inQuery } from "./defineOperation";

/** An optional calendar day in a query. */
export function dateInQuery(description: string) {
  return inQuery(
    Type.Optional(
      Type.String({
        pattern: "^\\d{4}-\\d{2}-\\d{2}$",
        maxLength: 10,
        description: `YYYY-MM-DD. ${description}`,
        expects: "an existing day from 1970 on as YYYY-MM-DD, such as 2026-03-31",
      }),
    ),
  );
}

/** A calendar month in an answer. */
export const CalendarMonth = Type.String({ pattern: "^[0-9]{4,6}-[0-9]{2}$", maxLength: 9 });

/** The day numbers of a range; a bound that was not given is undefined. */
export type DayRange = { fromDay: number | undefined; toDay: number | undefined };

/** @throws ServiceError VALIDATION_ERROR for a day that does not exist, or a range that is empty */
export function readDayRange({ fromDate, toDate }: { fromDate?: string; toDate?: string }): DayRange {
  const [fromDay, toDay] = [readDay("fromDate", fromDate), readDay("toDate", toDate)];
  if (fromDay !== undefined && toDay !== undefined && fromDay > toDay)
    throw validationError("toDate", "OUT_OF_RANGE", "must not be before fromDate");
  return { fromDay, toDay };
}

/** The same as unix seconds, both included: the form of filters of the index. */
export function readTimeRange(dates: { fromDate?: string; toDate?: string }): {
  fromTimestamp?: number;
  toTimestamp?: number;
} {
  const { fromDay, toDay } = readDayRange(dates);
  return {
    ...(fromDay === undefined ? {} : { fromTimestamp: fromDay * DAY_SECONDS }),
    ...(toDay === undefined ? {} : { toTimestamp: (toDay + 1) * DAY_SECONDS - 1 }),
  };
}

function readDay(field: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const day = dateToDay(text);
  if (day === null)
    throw validationError(field, "MALFORMED", "must be an existing day from 1970 on, such as 2026-03-31");
  return day;
}
