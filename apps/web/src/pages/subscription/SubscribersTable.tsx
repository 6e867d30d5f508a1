import type { Operations } from "@dueday/sdk";
import { Link } from "@tanstack/react-router";
import { amountOrder } from "../../format/formatAmount";
import { ListTable } from "../../lists/ListTable";
import type { Column } from "../../tables/DataTable";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amount } from "../../ui/Amount";
import { CoverageBadge, describeCoverage, formatRunway } from "../../ui/CoverageBadge";
import { shorten } from "../../ui/shorten";

export type SubscriberRow = Operations["getSubscribers"]["output"]["subscribers"][number];

/** Subscribers with their runway, and the reason why the next payment of some will fail. */
export function SubscribersTable({ rows, tokenSymbol }: { rows: readonly SubscriberRow[]; tokenSymbol: string }) {
  const columns: readonly Column<SubscriberRow>[] = [
    {
      key: "subscriber",
      header: "Subscriber",
      values: { Subscriber: ({ subscriber }) => subscriber },
      cell: ({ subscriber }) => <AddressLabel value={subscriber} kind="address" />,
    },
    {
      key: "next",
      header: "Next payment",
      values: { "Next payment": describeCoverage },
      cell: (row) => <CoverageBadge {...row} />,
    },
    {
      key: "runway",
      header: "Payments covered",
      align: "end",
      values: { "Payments covered": ({ coveredPayments }) => String(coveredPayments) },
      order: ({ coveredPayments }) => coveredPayments,
      cell: ({ coveredPayments }) => formatRunway(coveredPayments),
    },
    {
      key: "fee",
      header: "Prepaid for keepers",
      align: "end",
      values: { "Prepaid for keepers": ({ feeBalance }) => feeBalance },
      order: ({ feeBalance }) => amountOrder(feeBalance),
      cell: ({ feeBalance }) => <Amount amount={feeBalance} symbol={tokenSymbol} />,
    },
    {
      key: "account",
      header: "Account",
      cell: ({ subscriber }) => (
        <Link
          to="/accounts/$address"
          params={{ address: subscriber }}
          aria-label={`what it pays: ${shorten(subscriber)}`}
        >
          what it pays
        </Link>
      ),
    },
  ];
  return (
    <ListTable
      label="Subscribers of this subscription"
      fileName="subscribers"
      columns={columns}
      rows={rows}
      rowKey={({ subscriber }) => subscriber}
    />
  );
}
