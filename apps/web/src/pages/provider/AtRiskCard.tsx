import type { Operations } from "@dueday/sdk";
import { useDueday } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import type { Address } from "viem";
import { formatNextDue } from "../../format/formatNextDue";
import { ListTable } from "../../lists/ListTable";
import { PagedCard } from "../../lists/PagedCard";
import { usePages } from "../../live/usePages";
import { usePlanNames } from "../../live/usePlanNames";
import { Empty } from "../../states/Empty";
import type { Column } from "../../tables/DataTable";
import { amountColumn, planColumn } from "../../tables/termColumns";
import { CoverageBadge, formatRunway } from "../../ui/CoverageBadge";
import { ShortHex } from "../../ui/ShortHex";
import type { AsOf } from "../../ui/SourceLink";

type Answered = Operations["listAtRisk"]["output"];
type Row = Answered["atRisk"][number];

const PAGE = 200;

/** Subscribers with a payment that will fail within one whole period of their subscription. */
export function AtRiskCard({ address }: { address: Address }) {
  const { dueday } = useDueday();
  const list = usePages({
    name: "listAtRisk",
    input: { address },
    read: (start, options) => dueday.listAtRisk({ address, first: PAGE, ...start }, options),
  });
  const { data, isPending } = list.query;
  const ids = data?.pages.flatMap(({ atRisk }) => atRisk.map(({ id }) => id)) ?? [];
  const names = usePlanNames(ids, isPending ? undefined : address);
  return (
    <PagedCard
      list={list}
      label="the subscribers at risk"
      title="At risk"
      rowsOf={({ atRisk }) => atRisk}
      note={(_, { horizons }) =>
        `A payment that fails ends the subscription. The subscriber can renew its approval or top up its balance before. ${describeHorizon(horizons)}`
      }
      empty={() => (
        <Empty title="No payment fails within one period">
          The subscribers of each subscription are on its page, with how many payments each can still make.
        </Empty>
      )}
    >
      {(rows, { asOf }) => (
        <ListTable
          fileName="at-risk"
          label="Subscribers at risk"
          columns={columnsOf(asOf, names)}
          rows={rows}
          rowKey={({ id, subscriber }) => `${id} ${subscriber}`}
        />
      )}
    </PagedCard>
  );
}

/** How far ahead the list looks, for each frequency. */
function describeHorizon(horizons: Answered["horizons"]): string {
  const periods = horizons.map(
    ({ frequencyLabel, horizonDays }) => `${frequencyLabel.toLowerCase()} ${horizonDays} days`,
  );
  return `The list has the subscribers whose payment fails within one whole period: ${periods.join(", ")}.`;
}

function columnsOf(asOf: AsOf, names: ReturnType<typeof usePlanNames>): readonly Column<Row>[] {
  return [
    {
      key: "subscriber",
      header: "Subscriber",
      values: { Subscriber: ({ subscriber }) => subscriber },
      cell: ({ subscriber }) => (
        <Link to="/accounts/$address" params={{ address: subscriber }}>
          <ShortHex value={subscriber} />
        </Link>
      ),
    },
    planColumn(names, ({ id }) => id),
    amountColumn((row) => row, "Payment"),
    {
      key: "fails",
      header: "Fails on",
      values: { "Fails on": ({ failsOn }) => failsOn ?? "" },
      cell: ({ failsOn }) => (failsOn === null ? "unknown" : formatNextDue(failsOn, asOf)),
    },
    {
      key: "why",
      header: "Too low",
      values: { "Too low": ({ cause }) => cause ?? "" },
      cell: ({ cause }) => cause ?? "unknown",
    },
    { key: "next", header: "Next payment", cell: (row) => <CoverageBadge {...row} /> },
    {
      key: "runway",
      header: "Payments covered",
      values: { "Payments covered": ({ coveredPayments }) => String(coveredPayments) },
      order: ({ coveredPayments }) => coveredPayments,
      align: "end",
      cell: ({ coveredPayments }) => formatRunway(coveredPayments),
    },
  ];
}
