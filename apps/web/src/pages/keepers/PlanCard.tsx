import { Link } from "@tanstack/react-router";
import { countOf, describeDays } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { type Column, DataTable } from "../../tables/DataTable";
import { Amounts } from "../../ui/Amount";
import { Card } from "../../ui/Card";
import { ShareBar } from "../../ui/ShareBar";
import { SourceLink } from "../../ui/SourceLink";
import type { Readiness } from "./readiness";

type Transaction = Readiness["plan"]["transactions"][number];

/** What each call of remit() would do, in order. */
export function PlanCard({ plan }: { plan: Readiness }) {
  const { totals, asOf, missed } = plan;
  const { transactions, source, end } = plan.plan;
  const most = Math.max(...transactions.map(({ payments }) => payments));
  const count = countOf(totals.transactions, "transaction");
  const settled = end === "caught_up" && missed.length === 0 ? "everything that is due" : "a part of what is due";
  const listed =
    totals.transactions > transactions.length
      ? `The first ${transactions.length} of the ${count} that settle ${settled}; the totals cover all.`
      : `${count} ${totals.transactions === 1 ? "settles" : "settle"} ${settled}.`;
  return (
    <Card
      flush
      title="The plan"
      note={`${listed} Each outcome is ${source === "simulated" ? "simulated on the chain" : "computed by a model of the protocol"}.`}
      aside={
        <Link to="/keepers" search={{ tab: "settle" }}>
          Is it worth settling?
        </Link>
      }
      footer={<SourceLink asOf={asOf} />}
    >
      <DataTable
        label="Transactions of the plan"
        columns={columnsOf(most)}
        rows={transactions}
        rowKey={({ index }) => String(index)}
        totals={{
          index: "All",
          payments: formatInteger(totals.payments),
          failures: formatInteger(totals.failures),
          gas: formatInteger(totals.gasUsed),
          fees: <Amounts amounts={totals.callerFees} />,
        }}
      />
    </Card>
  );
}

function columnsOf(most: number): Column<Transaction>[] {
  return [
    { key: "index", header: "#", cell: ({ index }) => index + 1 },
    {
      key: "closes",
      header: "Closes",
      cell: ({ closesDays }) => <span title="Days (UTC) that are complete after it">{describeDays(closesDays)}</span>,
    },
    {
      key: "bar",
      header: "Paid and failed",
      decorative: true,
      cell: ({ payments, failures }) => (
        <ShareBar
          of={most}
          parts={[
            { value: payments - failures, color: "--chart-1" },
            { value: failures, color: "--chart-2" },
          ]}
        />
      ),
    },
    { key: "payments", header: "Payments", align: "end", cell: ({ payments }) => formatInteger(payments) },
    { key: "failures", header: "Will fail", align: "end", cell: ({ failures }) => formatInteger(failures) },
    {
      key: "gas",
      header: "Gas",
      align: "end",
      cell: ({ gasUsed }) => (gasUsed === undefined ? "unknown" : formatInteger(gasUsed)),
    },
    { key: "fees", header: "Keeper fees", align: "end", cell: ({ callerFees }) => <Amounts amounts={callerFees} /> },
  ];
}
