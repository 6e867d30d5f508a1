import type { Operations } from "@dueday/sdk";
import { formatInteger } from "../format/formatAmount";
import { formatDate } from "../format/formatDate";
import { type Column, DataTable } from "../tables/DataTable";
import { Amount } from "../ui/Amount";

type Period = Operations["getProviderIncome"]["output"]["periods"][number];
type Total = Operations["getProviderIncome"]["output"]["totals"][number];

export type MoneyTableProps = {
  periods: readonly Period[];
  totals: readonly Total[];
  group: "day" | "week" | "month";
  /** Whether the account received the money or paid it. It decides the name of the column of fee balances that were paid out. */
  side: "received" | "paid";
};

/** What was paid, has failed and was refunded, by period and token. Tokens with several periods have a row with their total at the end. */
export function MoneyTable({ periods, totals, group, side }: MoneyTableProps) {
  const listed = Map.groupBy(periods, ({ token }) => token);
  const rows: Row[] = [
    ...periods.map((period) => ({ ...period, label: labelOf(period, group) })),
    // A token with one period needs no total.
    ...totals
      .filter(({ token }) => (listed.get(token)?.length ?? 0) > 1)
      .map((total) => ({ ...total, label: "Total" })),
  ];
  return (
    <DataTable
      label="By period and token"
      columns={COLUMNS[side]}
      rows={rows}
      rowKey={({ label, token }) => `${label} ${token}`}
    />
  );
}

type Row = Total & { label: string };

const money = (key: "paid" | "failed" | "refunded" | "net", header: string): Column<Row> => ({
  key,
  header,
  align: "end",
  cell: (row) => <Amount amount={row[key]} symbol={row.tokenSymbol} />,
});

const columnsOf = (refunded: string): readonly Column<Row>[] => [
  { key: "period", header: "Period", cell: ({ label }) => label },
  { key: "charges", header: "Charges", align: "end", cell: ({ charges }) => formatInteger(charges) },
  { key: "failures", header: "Failures", align: "end", cell: ({ failures }) => formatInteger(failures) },
  money("paid", "Paid"),
  money("failed", "Failed"),
  money("refunded", refunded),
  money("net", "Net"),
];

const COLUMNS = { received: columnsOf("Returned prepayments"), paid: columnsOf("Refunded") };

function labelOf({ start, end }: Period, group: MoneyTableProps["group"]): string {
  if (start === null || end === null) return "–";
  if (group === "month") return formatDate(start.slice(0, 7), "month");
  if (group === "day" || start === end) return formatDate(start);
  return `${formatDate(start, "day")} to ${formatDate(end)}`;
}
