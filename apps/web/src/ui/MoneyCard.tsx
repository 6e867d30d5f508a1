import type { DuedayError, Operations } from "@dueday/sdk";
import type { UseQueryResult } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Answer } from "../states/Answer";
import { Empty } from "../states/Empty";
import { Card } from "./Card";
import { FormField } from "./FormField";
import { Inset } from "./Inset";
import { MoneyTable } from "./MoneyTable";
import { PeriodBars } from "./PeriodBars";
import { SourceLink } from "./SourceLink";
import { cleanText } from "./UntrustedText";

type Money = Operations["getProviderIncome"]["output"] | Operations["getAccountSpending"]["output"];
export type Group = "day" | "week" | "month";

export type MoneyCardProps = {
  title: string;
  query: UseQueryResult<Money, DuedayError>;
  group: Group;
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
export function MoneyCard({ title, query, group, onGroup, empty }: MoneyCardProps) {
  return (
    <Card
      title={title}
      aside={<GroupChoice group={group} onGroup={onGroup} />}
      footer={query.data && <SourceLink asOf={query.data.asOf} />}
      flush
    >
      <Answer query={query} label="the amounts" lines={6}>
        {(money) =>
          money.totals.length === 0 ? (
            <Empty title="Nothing was charged in this time">{empty}</Empty>
          ) : (
            <>
              <MoneyChart money={money} group={group} />
              <MoneyTable periods={money.periods} totals={money.totals} group={group} />
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

/** One token at a time: amounts of two tokens have no common scale. */
function MoneyChart({ money, group }: { money: Money; group: Group }) {
  const { periods, totals } = money;
  const [chosen, setChosen] = useState<string | null>(null);
  const total = totals.find(({ token }) => token === chosen) ?? totals[0];
  if (total === undefined) return null;
  const bars = periods
    .filter(({ token }) => token === total.token)
    .flatMap(({ start, paidRaw, failedRaw }) =>
      start === null ? [] : [{ start, paid: BigInt(paidRaw), failed: BigInt(failedRaw) }],
    );
  const symbol = cleanText(total.tokenSymbol);
  return (
    <Inset>
      {totals.length > 1 && (
        <FormField label="Token of the chart">
          {(input) => (
            <select {...input} value={total.token} onChange={({ target }) => setChosen(target.value)}>
              {totals.map(({ token, tokenSymbol }) => (
                <option key={token} value={token}>
                  {cleanText(tokenSymbol).slice(0, SYMBOL_CHARACTERS) || token}
                </option>
              ))}
            </select>
          )}
        </FormField>
      )}
      <PeriodBars
        label={`${symbol.slice(0, SYMBOL_CHARACTERS)} ${group === "day" ? "by day" : `by ${group}`}, paid and failed`}
        bars={bars}
        symbol={symbol}
        decimals={total.tokenDecimals}
        group={group}
      />
    </Inset>
  );
}

const SYMBOL_CHARACTERS = 12;
