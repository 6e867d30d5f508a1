import type { Operations } from "@dueday/sdk";
import { useDueday, useProviderMetrics } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import type { Address } from "viem";
import { BarChart } from "../../charts/BarChart";
import type { Bar, BarPart } from "../../charts/Bars";
import { countOf } from "../../format/describeDays";
import { formatAmount, formatInteger } from "../../format/formatAmount";
import { formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { type Column, DataTable } from "../../tables/DataTable";
import { Amount } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import { CsvButton } from "../../ui/CsvButton";
import { Disclosure } from "../../ui/Disclosure";
import { Figure, Figures } from "../../ui/Figure";
import { Inset } from "../../ui/Inset";
import { type AsOf, SourceLink } from "../../ui/SourceLink";
import { shorten } from "../../ui/shorten";
import { cleanSymbol } from "../../ui/UntrustedText";

type Period = Operations["getProviderMetrics"]["output"]["periods"][number];

/** As high as the figures and the chart of one token on a phone. */
const PLACEHOLDER_LINES = 22;

/** Recurring business by token: subscribers and monthly revenue now, who came and left this month, and each of the last twelve months. */
export function BusinessCard({ address }: { address: Address }) {
  const query = useProviderMetrics({ address, group: "month" });
  if (query.data === undefined || query.data.periods.length === 0)
    return (
      <Card title="Business" footer={query.data && <SourceLink asOf={query.data.asOf} />} flush>
        <Answer query={query} label="the business" lines={PLACEHOLDER_LINES}>
          {() => (
            <Empty title="No subscribers yet">
              Figures appear with the first one. <Link to="/sell">Sell a subscription</Link>
            </Empty>
          )}
        </Answer>
      </Card>
    );
  const { periods, toDate, asOf } = query.data;
  const byToken = [...Map.groupBy(periods, ({ token }) => token).values()].toSorted(
    (a, b) => (b.at(-1)?.activeEnd ?? 0) - (a.at(-1)?.activeEnd ?? 0),
  );
  return (
    <Answer query={query} label="the business">
      {() =>
        byToken.map((months) => {
          const symbol = nameOfToken(months, byToken);
          return (
            <TokenCard key={symbol} symbol={symbol} address={address} months={months} today={toDate} asOf={asOf} />
          );
        })
      }
    </Answer>
  );
}

/** The symbol of a token, or its address where it has no symbol or shares the symbol with another token. */
function nameOfToken(months: readonly Period[], byToken: readonly (readonly Period[])[]): string {
  const [{ token = "", tokenSymbol = "" } = {}] = months;
  const symbol = cleanSymbol(tokenSymbol);
  const sharing = byToken.filter(([first]) => cleanSymbol(first?.tokenSymbol ?? "") === symbol);
  return symbol === "" || sharing.length > 1 ? shorten(token) : symbol;
}

type TokenCardProps = {
  symbol: string;
  address: Address;
  months: readonly Period[];
  /** The last day that is counted. */
  today: string | null;
  asOf: AsOf;
};

/** The figures in one token. */
function TokenCard({ symbol, address, months, today, asOf }: TokenCardProps) {
  const { dueday } = useDueday();
  const latest = months.at(-1);
  if (latest === undefined) return null;
  const { token, tokenSymbol } = latest;
  // A month without active subscribers and without payments has no entry.
  const isCurrent = latest.end === today;
  const moved = (count: number) => (isCurrent ? formatInteger(count) : "0");
  const recovered = isCurrent && latest.recovered !== null ? formatInteger(latest.recovered) : "–";
  return (
    <Card
      title={`Business in ${symbol}`}
      aside={
        <CsvButton
          name={`metrics-${address.slice(0, 10)}`}
          read={() => dueday.csv.getProviderMetrics({ address, group: "month", token })}
        />
      }
      footer={<SourceLink asOf={asOf} />}
      flush
    >
      <Inset>
        <Figures>
          <Figure label="Active subscribers" note="now">
            {formatInteger(latest.activeEnd)}
          </Figure>
          <Figure label="Monthly recurring revenue" note="if each of them pays">
            <Amount amount={latest.mrrEnd} symbol={tokenSymbol} digits={2} />
          </Figure>
          <Figure label="New" note="this month, with those who came back">
            {moved(latest.new + latest.reactivated)}
          </Figure>
          <Figure label="Left" note="this month, by themselves or removed">
            {moved(latest.left + latest.removed)}
          </Figure>
          <Figure label="Failed" note="this month" tone={isCurrent && latest.failed > 0 ? "bad" : "neutral"}>
            {moved(latest.failed)}
          </Figure>
          <Figure
            label="Recovered"
            note={recovered === "–" ? "not recorded yet" : "this month, charges that were about to fail"}
          >
            {recovered}
          </Figure>
        </Figures>
      </Inset>
      {months.length > 1 && (
        <Inset>
          <BarChart
            label={`Monthly recurring revenue in ${symbol}, by month`}
            parts={PARTS}
            bars={barsOf(months, symbol)}
            scale="amounts"
          />
        </Inset>
      )}
      <Disclosure summary="Show the months as a table">
        <DataTable
          label={`Subscribers and revenue in ${symbol}, by month`}
          columns={COLUMNS}
          rows={months.toReversed()}
          rowKey={({ start }) => String(start)}
        />
      </Disclosure>
    </Card>
  );
}

const PARTS: readonly BarPart[] = [{ name: "Monthly recurring revenue", color: "--chart-1" }];

function barsOf(months: readonly Period[], symbol: string): Bar[] {
  return months.map(({ start, mrrEnd, activeEnd }) => {
    const name = monthOf(start);
    return {
      key: start ?? "",
      // Twelve names of months are wider than the chart.
      tick: start?.slice(0, 7) ?? "",
      // A float is exact enough for the height of a bar.
      values: [Number(mrrEnd)],
      text: `${name}: ${formatAmount(mrrEnd, 2)} ${symbol} of ${countOf(activeEnd, "subscriber")}`,
    };
  });
}

function monthOf(start: string | null): string {
  return start === null ? "–" : formatDate(start.slice(0, 7), "month");
}

const count = (key: "new" | "reactivated" | "left" | "failed" | "removed", header: string): Column<Period> => ({
  key,
  header,
  align: "end",
  cell: (row) => formatInteger(row[key]),
});

const COLUMNS: readonly Column<Period>[] = [
  { key: "month", header: "Month", cell: ({ start }) => monthOf(start) },
  { key: "before", header: "Before", align: "end", cell: ({ activeStart }) => formatInteger(activeStart) },
  count("new", "New"),
  count("reactivated", "Came back"),
  count("left", "Left"),
  count("failed", "Failed"),
  count("removed", "Removed"),
  { key: "after", header: "Active", align: "end", cell: ({ activeEnd }) => formatInteger(activeEnd) },
  {
    key: "mrr",
    header: "Monthly revenue",
    align: "end",
    cell: ({ mrrEnd, tokenSymbol }) => <Amount amount={mrrEnd} symbol={tokenSymbol} digits={2} />,
  },
  {
    key: "net",
    header: "Received",
    align: "end",
    cell: ({ net, tokenSymbol }) => <Amount amount={net} symbol={tokenSymbol} />,
  },
];
