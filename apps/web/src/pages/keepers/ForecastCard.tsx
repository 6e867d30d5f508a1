import type { Operations } from "@dueday/sdk";
import { useDueday, useDuedayQuery } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";
import { BarChart } from "../../charts/BarChart";
import type { Bar, BarPart } from "../../charts/Bars";
import { countOf, someOf } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { formatDate } from "../../format/formatDate";
import { toCsv } from "../../lists/toCsv";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { type Column, DataTable } from "../../tables/DataTable";
import { Amounts } from "../../ui/Amount";
import { Badge } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { CsvButton } from "../../ui/CsvButton";
import { Disclosure } from "../../ui/Disclosure";
import { Inset } from "../../ui/Inset";
import { SourceLink } from "../../ui/SourceLink";

type Forecast = Operations["getRemitForecast"]["output"];
type Day = Forecast["days"][number];

const PARTS: readonly BarPart[] = [
  { name: "Will be paid", color: "--chart-1" },
  { name: "Will fail", color: "--chart-2" },
];

/** The load of the next 35 days. */
export function ForecastCard() {
  const forecast = useDuedayQuery("getRemitForecast", {});
  const { dueday } = useDueday();
  const { data } = forecast;
  return (
    <Card
      flush
      title="Next 35 days"
      aside={
        <CsvButton
          name="forecast"
          read={async () => toCsv(COLUMNS, (data ?? (await dueday.getRemitForecast({}))).days)}
        />
      }
      note="Assumes that no account subscribes, leaves or tops up in the meantime. Balances and allowances decrease from day to day."
      {...(data !== undefined && { footer: <SourceLink asOf={data.asOf} /> })}
    >
      <Answer query={forecast} label="the forecast" lines={6}>
        {({ days }) => <ForecastDays days={days} />}
      </Answer>
    </Card>
  );
}

function ForecastDays({ days }: { days: readonly Day[] }) {
  const bars = useMemo(() => days.map(toBar), [days]);
  const payments = days.reduce((sum, day) => sum + day.payments, 0);
  const failures = days.reduce((sum, day) => sum + day.expectedFailures, 0);
  const summary = `${countOf(payments, "payment")}, ${someOf(failures)} expected to fail`;
  const blocked = days.find((day) => day.blocked);
  if (payments === 0 && blocked === undefined) {
    return (
      <Empty title="No payments are due in the next 35 days">
        Payments appear here when accounts subscribe. <Link to="/subscriptions">Look at the subscriptions</Link>.
      </Empty>
    );
  }
  return (
    <>
      <Inset>
        <p data-forecast={`${payments} ${failures}`}>
          {summary}.
          {blocked !== undefined && ` From ${nameOf(blocked)} on, nothing is charged, because remit() is blocked.`}
        </p>
        <BarChart label={`Payments due on each of the next 35 days: ${summary}`} parts={PARTS} bars={bars} />
      </Inset>
      <Disclosure summary="Show the days as a table">
        <DataTable
          label="Forecast by day"
          columns={COLUMNS}
          rows={days.filter((day) => day.payments > 0 || day.blocked)}
          rowKey={({ dayNumber }) => String(dayNumber)}
          totals={{ date: "All", payments: formatInteger(payments), failures: formatInteger(failures) }}
        />
      </Disclosure>
    </>
  );
}

function nameOf({ date, dayNumber }: Day): string {
  return date === null ? `day ${dayNumber}` : formatDate(date, "weekday");
}

function toBar(day: Day): Bar {
  const { dayNumber, date, payments, expectedFailures, blocked } = day;
  const failing = expectedFailures === 0 ? "" : `, ${expectedFailures} will fail`;
  return {
    key: String(dayNumber),
    tick: date === null ? "" : formatDate(date, "day"),
    values: [payments - expectedFailures, expectedFailures],
    text: `${nameOf(day)}: ${blocked ? "not charged, remit() is blocked" : `${countOf(payments, "payment")}${failing}`}`,
  };
}

const COLUMNS: readonly Column<Day>[] = [
  {
    key: "date",
    header: "Day",
    values: { Date: ({ date, dayNumber }) => date ?? String(dayNumber), Blocked: ({ blocked }) => String(blocked) },
    cell: (day) => (
      <>
        {nameOf(day)} {day.blocked && <Badge tone="bad">blocked</Badge>}
      </>
    ),
  },
  {
    key: "subscriptions",
    header: "Subscriptions",
    align: "end",
    values: { Subscriptions: ({ subscriptions }) => String(subscriptions) },
    cell: ({ subscriptions }) => formatInteger(subscriptions),
  },
  {
    key: "payments",
    header: "Payments",
    align: "end",
    values: { Payments: ({ payments }) => String(payments) },
    cell: ({ payments }) => formatInteger(payments),
  },
  {
    key: "failures",
    header: "Will fail",
    align: "end",
    values: { "Will fail": ({ expectedFailures }) => String(expectedFailures) },
    cell: ({ expectedFailures }) => formatInteger(expectedFailures),
  },
  {
    key: "transactions",
    header: "Transactions",
    align: "end",
    values: { Transactions: ({ transactions }) => String(transactions) },
    cell: ({ transactions }) => formatInteger(transactions),
  },
  { key: "fees", header: "Keeper fees", align: "end", cell: ({ callerFees }) => <Amounts amounts={callerFees} /> },
];
