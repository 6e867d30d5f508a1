import type { DuedayError, Operations } from "@dueday/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useMemo, useState } from "react";
import { BarChart } from "../charts/BarChart";
import type { Bar, BarPart } from "../charts/Bars";
import { formatAmount } from "../format/formatAmount";
import { formatDate } from "../format/formatDate";
import { Answer } from "../states/Answer";
import { Empty } from "../states/Empty";
import { Card } from "../ui/Card";
import { FormField, FormFields } from "../ui/FormField";
import { Inset } from "../ui/Inset";
import { SourceLink } from "../ui/SourceLink";
import { cleanSymbol } from "../ui/UntrustedText";
import { MoneyTable } from "./MoneyTable";

type Money = Operations["getProviderIncome"]["output"] | Operations["getAccountSpending"]["output"];
export type Group = "day" | "week" | "month";

export type MoneyCardProps = {
  title: string;
  /** One sentence under the title. */
  note?: string;
  query: UseQueryResult<Money, DuedayError>;
  group: Group;
  side: "received" | "paid";
  onGroup(group: Group): void;
  /** Shown where nothing was charged. */
  empty: ReactNode;
};

const GROUPS = [
  ["month", "by month"],
  ["week", "by week"],
  ["day", "by day"],
] as const;

/** What was charged, has failed and was refunded: a chart for one token, and a table for all. */
export function MoneyCard({ title, note, query, group, side, onGroup, empty }: MoneyCardProps) {
  return (
    <Card
      title={title}
      note={note}
      aside={<GroupChoice group={group} onGroup={onGroup} />}
      footer={query.data && <SourceLink asOf={query.data.asOf} />}
      flush
    >
      <Answer query={query} label="the amounts" lines={6}>
        {(money) =>
          money.totals.length === 0 ? (
            <Empty title="Nothing was charged in this period">{empty}</Empty>
          ) : (
            <>
              <MoneyChart money={money} group={group} />
              <MoneyTable periods={money.periods} totals={money.totals} group={group} side={side} />
            </>
          )
        }
      </Answer>
    </Card>
  );
}

function GroupChoice({ group, onGroup }: Pick<MoneyCardProps, "group" | "onGroup">) {
  return (
    <FormField label="Periods">
      {(input) => (
        // The values are those of the options below.
        <select {...input} value={group} onChange={({ target }) => onGroup(target.value as Group)}>
          {GROUPS.map(([value, name]) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
        </select>
      )}
    </FormField>
  );
}

/** Shows one token at a time, because amounts of two tokens have no common scale. The token with the most charges is the first choice. */
function MoneyChart({ money, group }: { money: Money; group: Group }) {
  const { periods, totals } = money;
  const [chosen, setChosen] = useState<string | null>(null);
  const [busiest] = totals.toSorted((a, b) => b.charges - a.charges);
  const total = totals.find(({ token }) => token === chosen) ?? busiest;
  const token = total?.token;
  const bars = useMemo(() => barsOf(periods, token, group), [periods, token, group]);
  const symbol = cleanSymbol(total?.tokenSymbol ?? "");
  return (
    <Inset>
      {totals.length > 1 && (
        <FormFields>
          <FormField label="Token of the chart">
            {(input) => (
              <select {...input} value={token} onChange={({ target }) => setChosen(target.value)}>
                {totals.map((each) => (
                  <option key={each.token} value={each.token}>
                    {cleanSymbol(each.tokenSymbol) || each.token}
                  </option>
                ))}
              </select>
            )}
          </FormField>
        </FormFields>
      )}
      <BarChart label={`${symbol} by ${group}, paid and failed`} parts={PARTS} bars={bars} scale="amounts" />
    </Inset>
  );
}

const PARTS: readonly BarPart[] = [
  { name: "Paid", color: "--chart-1" },
  { name: "Failed", color: "--chart-2" },
];

function barsOf(periods: Money["periods"], token: string | undefined, group: Group): Bar[] {
  return periods.flatMap((period): Bar[] => {
    const { start, paid, failed, tokenSymbol } = period;
    if (period.token !== token || start === null) return [];
    const name = formatDate(start, group === "month" ? "month" : "date");
    const amounts = [`${formatAmount(paid)} paid`, `${formatAmount(failed)} failed`].join(", ");
    return [
      {
        key: start,
        tick: group === "month" ? name : formatDate(start, "day"),
        // A float is exact enough for the height of a bar.
        values: [Number(paid), Number(failed)],
        text: `${name}: ${amounts}, ${cleanSymbol(tokenSymbol)}`,
      },
    ];
  });
}
