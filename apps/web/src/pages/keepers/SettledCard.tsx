import type { Operations } from "@dueday/sdk";
import { useDuedayQuery, useReadiness } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { formatInteger } from "../../format/formatAmount";
import { dateOfDay, formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { type Column, DataTable } from "../../tables/DataTable";
import { Amounts } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import { SourceLink } from "../../ui/SourceLink";

type Day = Operations["getDueCalendar"]["output"]["days"][number];

const SHOWN = 6;
/** The month of the day that was this number of days ago is read too. */
const REACH_DAYS = 14;

/**
 * The last days on which payments were settled, from the calendar of this month, and of the previous month where this one has just
 * begun. The calendar is a cheap read; the transactions of keepers are on the other tab.
 */
export function SettledCard() {
  const readiness = useReadiness();
  const { data: plan } = readiness;
  const months =
    plan === undefined ? [] : [plan.currentDay, plan.currentDay - REACH_DAYS].map((day) => dateOfDay(day).slice(0, 7));
  const [month, earlier] = months;
  const current = useDuedayQuery("getDueCalendar", month === undefined ? null : { month });
  const reachesBack = earlier !== month;
  const before = useDuedayQuery("getDueCalendar", reachesBack && earlier !== undefined ? { month: earlier } : null);
  return (
    <Card
      flush
      title="Last settled days"
      aside={
        <Link to="/keepers" search={{ tab: "settle" }}>
          Transactions of keepers
        </Link>
      }
      {...(current.data !== undefined && { footer: <SourceLink asOf={current.data.asOf} /> })}
    >
      {plan === undefined ? (
        <Answer query={readiness} label="the chain's day" lines={4}>
          {() => null}
        </Answer>
      ) : (
        <Answer query={current} label="the settled days" lines={4}>
          {({ days }) =>
            reachesBack ? (
              <Answer query={before} label="the settled days of the month before" lines={4}>
                {(month) => <Settled days={[...month.days, ...days]} />}
              </Answer>
            ) : (
              <Settled days={days} />
            )
          }
        </Answer>
      )}
    </Card>
  );
}

function Settled({ days }: { days: readonly Day[] }) {
  const settled = days.filter(({ settled, failed }) => (settled?.payments ?? 0) + (failed?.payments ?? 0) > 0);
  if (settled.length === 0)
    return (
      <Empty title="No payments were settled in the last weeks">
        A keeper settles what is due.{" "}
        <Link to="/keepers" search={{ tab: "settle" }}>
          See how that works
        </Link>
        .
      </Empty>
    );
  return (
    <DataTable
      label="Settled days, newest first"
      columns={COLUMNS}
      rows={settled.toReversed().slice(0, SHOWN)}
      rowKey={({ dayNumber }) => String(dayNumber)}
    />
  );
}

const COLUMNS: readonly Column<Day>[] = [
  {
    key: "date",
    header: "Due day",
    cell: ({ date, dayNumber }) =>
      date === null ? (
        dayNumber
      ) : (
        <Link to="/calendar" search={{ month: date.slice(0, 7), day: date }}>
          {formatDate(date, "weekday")}
        </Link>
      ),
  },
  { key: "paid", header: "Paid", align: "end", cell: ({ settled }) => formatInteger(settled?.payments ?? 0) },
  { key: "failed", header: "Failed", align: "end", cell: ({ failed }) => formatInteger(failed?.payments ?? 0) },
  {
    key: "amounts",
    header: "Amounts paid",
    align: "end",
    cell: ({ settled }) => <Amounts amounts={settled?.byToken ?? []} />,
  },
];
