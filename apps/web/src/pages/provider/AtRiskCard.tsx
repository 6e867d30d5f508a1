import type { Operations } from "@dueday/sdk";
import { useDueday } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { formatDate } from "../../format/formatDate";
import { PageControls } from "../../lists/PageControls";
import { usePages } from "../../live/usePages";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Amount } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import { CoverageBadge, formatRunway } from "../../ui/CoverageBadge";
import { type Column, DataTable } from "../../ui/DataTable";
import { SourceLink } from "../../ui/SourceLink";
import { shorten } from "../../ui/shorten";

type Answered = Operations["listAtRisk"]["output"];
type Row = Answered["atRisk"][number];

const PAGE = 200;

/** Subscribers with a payment that will fail within one whole period of their subscription. */
export function AtRiskCard({ address }: { address: string }) {
  const { dueday } = useDueday();
  const { query, hasNews, renew } = usePages({
    name: "listAtRisk",
    input: { address },
    read: (cursor, options) => dueday.listAtRisk({ address, first: PAGE, skip: Number(cursor ?? 0) }, options),
    next: ({ nextSkip }) => (nextSkip === undefined ? null : String(nextSkip)),
  });
  return (
    <Answer query={query} label="the subscribers at risk" lines={6}>
      {({ pages }) => {
        const [first] = pages;
        const rows = pages.flatMap(({ atRisk }) => atRisk);
        const horizon = describeHorizon(first?.horizons ?? []);
        return (
          <>
            <Card
              title="At risk"
              note={`A payment that fails ends the subscription. The subscriber can renew its approval or top up its balance before. ${horizon}`}
              footer={first && <SourceLink asOf={first.asOf} />}
              flush
            >
              {rows.length === 0 ? (
                <Empty title="No payment fails within one period">
                  The subscribers of each subscription are on its page, with how many payments each can still make.
                </Empty>
              ) : (
                <DataTable
                  label="Subscribers at risk"
                  columns={columns}
                  rows={rows}
                  rowKey={({ id, subscriber }) => `${id} ${subscriber}`}
                />
              )}
            </Card>
            <PageControls
              query={query}
              hasNews={hasNews}
              renew={renew}
              shown={rows.length}
              count={first?.count ?? null}
            />
          </>
        );
      }}
    </Answer>
  );
}

/** How far ahead the list looks, for each frequency. */
function describeHorizon(horizons: Answered["horizons"]): string {
  const periods = horizons.map(
    ({ frequencyLabel, horizonDays }) => `${frequencyLabel.toLowerCase()} ${horizonDays} days`,
  );
  return `Listed is who fails within one whole period: ${periods.join(", ")}.`;
}

const columns: readonly Column<Row>[] = [
  {
    key: "subscriber",
    header: "Subscriber",
    cell: ({ subscriber }) => (
      <Link to="/accounts/$address" params={{ address: subscriber }}>
        <code>{shorten(subscriber)}</code>
      </Link>
    ),
  },
  {
    key: "subscription",
    header: "Subscription",
    cell: ({ id }) => (
      <Link to="/subscriptions/$id" params={{ id }}>
        <code>{shorten(id)}</code>
      </Link>
    ),
  },
  {
    key: "amount",
    header: "Payment",
    align: "end",
    cell: ({ amount, tokenSymbol }) => <Amount amount={amount} symbol={tokenSymbol} />,
  },
  {
    key: "fails",
    header: "Fails on",
    cell: ({ failsOn }) => (failsOn === null ? "unknown" : formatDate(failsOn)),
  },
  {
    key: "why",
    header: "Too low",
    cell: ({ cause }) => cause ?? "unknown",
  },
  { key: "next", header: "Next payment", cell: (row) => <CoverageBadge {...row} /> },
  {
    key: "runway",
    header: "Payments covered",
    align: "end",
    cell: ({ coveredPayments }) => formatRunway(coveredPayments),
  },
];
