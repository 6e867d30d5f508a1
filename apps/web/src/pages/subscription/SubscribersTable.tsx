import type { Operations } from "@dueday/sdk";
import { Link } from "@tanstack/react-router";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amount } from "../../ui/Amount";
import { CoverageBadge, formatRunway } from "../../ui/CoverageBadge";
import { type Column, DataTable } from "../../ui/DataTable";
import { shorten } from "../../ui/shorten";

export type SubscriberRow = Operations["getSubscribers"]["output"]["subscribers"][number];

/** Subscribers with their runway, and the reason why the next payment of some will fail. */
export function SubscribersTable({ rows, tokenSymbol }: { rows: readonly SubscriberRow[]; tokenSymbol: string }) {
  const columns: readonly Column<SubscriberRow>[] = [
    {
      key: "subscriber",
      header: "Subscriber",
      cell: ({ subscriber }) => <AddressLabel value={subscriber} kind="address" />,
    },
    { key: "next", header: "Next payment", cell: (row) => <CoverageBadge {...row} /> },
    {
      key: "runway",
      header: "Payments covered",
      align: "end",
      cell: ({ coveredPayments }) => formatRunway(coveredPayments),
    },
    {
      key: "fee",
      header: "Prepaid for keepers",
      align: "end",
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
    <DataTable
      label="Subscribers of this subscription"
      columns={columns}
      rows={rows}
      rowKey={({ subscriber }) => subscriber}
    />
  );
}
