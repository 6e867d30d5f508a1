import { useDueday, useDuedayQuery, useReadiness } from "@dueday/sdk/react";
import { Link, useSearch } from "@tanstack/react-router";
import { FilterCard } from "../../filter/FilterCard";
import { isFiltered } from "../../filter/paymentFilter";
import { useFilter } from "../../filter/useFilter";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { ComingCard } from "../../lists/ComingCard";
import { Answer } from "../../states/Answer";
import { Loading } from "../../states/Loading";
import { Card } from "../../ui/Card";
import { CsvButton } from "../../ui/CsvButton";
import { PageHeader } from "../../ui/PageHeader";
import { SourceLink } from "../../ui/SourceLink";
import { Stack } from "../../ui/Stack";
import classes from "./CalendarPage.module.css";
import { type CalendarDay, countsOf } from "./countsOf";
import { DayCard } from "./DayCard";
import { MonthTable } from "./MonthTable";
import { monthCsv } from "./monthCsv";
import { addMonths } from "./monthOf";

/** About as high as a month. */
const MONTH_LINES = 22;

const LEAD = "What is due on each day, in UTC: payments to come, and what happened to those before.";

/** A month of due days, for all payments or for those of some accounts, providers or plans. A day opens its list. */
export function CalendarPage() {
  const { month: wanted, day } = useSearch({ from: "/calendar" });
  const { dueday } = useDueday();
  const { filter, onChange } = useFilter();
  const readiness = useReadiness();
  // The chain's present day: a development chain can differ from the browser's date.
  const today = readiness.data === undefined ? undefined : dateOfDay(readiness.data.currentDay);
  const month = wanted ?? (day ?? today)?.slice(0, 7);
  const calendar = useDuedayQuery("getDueCalendar", month === undefined ? null : { month, ...filter });
  if (month === undefined) {
    return (
      <Stack>
        <PageHeader title="Calendar" lead={LEAD} />
        <FilterCard filter={filter} onChange={onChange} />
        <Answer query={readiness} label="the chain's day">
          {() => <Loading label="the month" lines={MONTH_LINES} />}
        </Answer>
      </Stack>
    );
  }
  const { data } = calendar;
  return (
    <Stack>
      <PageHeader title="Calendar" lead={LEAD} />
      <FilterCard filter={filter} onChange={onChange} />
      {isFiltered(filter) && <ComingCard filter={filter} />}
      <Card
        flush
        title={formatDate(month, "month")}
        aside={
          <>
            <CsvButton
              name={`calendar-${month}`}
              read={async () => monthCsv((data ?? (await dueday.getDueCalendar({ month, ...filter }))).days)}
            />
            <nav aria-label="Months" className={classes.months}>
              <Link
                to="/calendar"
                search={{ ...filter, month: addMonths(month, -1) }}
                className={classes.step}
                aria-label="Previous month"
              >
                ←
              </Link>
              <Link to="/calendar" search={{ ...filter }} className={classes.step}>
                Today
              </Link>
              <Link
                to="/calendar"
                search={{ ...filter, month: addMonths(month, 1) }}
                className={classes.step}
                aria-label="Next month"
              >
                →
              </Link>
            </nav>
          </>
        }
        {...(data !== undefined && {
          note: isEmpty(data.days) ? "Nothing is due and nothing was charged in this month." : undefined,
          footer: <SourceLink asOf={data.asOf} />,
        })}
      >
        <Answer query={calendar} label="the month" lines={MONTH_LINES}>
          {({ days }) => <MonthTable month={month} days={days} today={today} selected={day} filter={filter} />}
        </Answer>
      </Card>
      {day !== undefined && <DayCard date={day} filter={filter} />}
    </Stack>
  );
}

function isEmpty(days: readonly CalendarDay[]): boolean {
  return days.every((day) => countsOf(day).length === 0);
}
