import type { Operations } from "@dueday/sdk";
import { useDuedayQuery } from "@dueday/sdk/react";
import { formatInteger } from "../../format/formatAmount";
import { formatDuration } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { type Column, DataTable } from "../../tables/DataTable";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amounts, Ether } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import { ShareBar } from "../../ui/ShareBar";
import { SourceLink } from "../../ui/SourceLink";

type Keeper = Operations["listRemitKeepers"]["output"]["keepers"][number];

const DAYS = 30;

/** Who settled in the last days, by payments. */
export function RankingCard() {
  const ranking = useDuedayQuery("listRemitKeepers", { days: DAYS });
  const { data } = ranking;
  return (
    <Card
      flush
      title="Ranking"
      note={`Keepers of the last ${DAYS} days. The delay is the median time from midnight UTC of the oldest day that a transaction settled.`}
      {...(data !== undefined && { footer: <SourceLink asOf={data.asOf} /> })}
    >
      <Answer query={ranking} label="the ranking" lines={4}>
        {({ keepers }) =>
          keepers.length === 0 ? (
            <Empty title={`Nothing was settled in the last ${DAYS} days`}>
              The first keeper to settle what is due is listed here.
            </Empty>
          ) : (
            <DataTable label="Ranking of keepers" columns={COLUMNS} rows={keepers} rowKey={({ keeper }) => keeper} />
          )
        }
      </Answer>
    </Card>
  );
}

const PERCENT = 100;

const COLUMNS: readonly Column<Keeper>[] = [
  { key: "keeper", header: "Keeper", cell: ({ keeper }) => <AddressLabel kind="address" value={keeper} /> },
  {
    key: "bar",
    header: "Of all payments",
    decorative: true,
    cell: ({ share }) => <ShareBar of={1} parts={[{ value: share, color: "--chart-1" }]} />,
  },
  { key: "share", header: "Share", align: "end", cell: ({ share }) => `${(share * PERCENT).toFixed(1)} %` },
  { key: "remits", header: "Transactions", align: "end", cell: ({ remits }) => formatInteger(remits) },
  { key: "payments", header: "Payments", align: "end", cell: ({ payments }) => formatInteger(payments) },
  { key: "failures", header: "Failed", align: "end", cell: ({ failures }) => formatInteger(failures) },
  { key: "fees", header: "Fees", align: "end", cell: ({ callerFees }) => <Amounts amounts={callerFees} /> },
  {
    key: "cost",
    header: "Gas cost",
    align: "end",
    cell: ({ costWei }) => <Ether wei={costWei} />,
  },
  { key: "lag", header: "Delay", align: "end", cell: ({ medianLagSeconds }) => formatDuration(medianLagSeconds) },
];
