import type { Operations } from "@dueday/sdk";
import { useDueday, useDuedayQuery } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Address } from "viem";
import { formatDate } from "../../format/formatDate";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { type Column, DataTable } from "../../tables/DataTable";
import { AddressLabel } from "../../ui/AddressLabel";
import { Amount } from "../../ui/Amount";
import { Button } from "../../ui/Button";
import { Card } from "../../ui/Card";
import { CsvButton } from "../../ui/CsvButton";
import { Inset } from "../../ui/Inset";
import { SourceLink } from "../../ui/SourceLink";
import { shorten } from "../../ui/shorten";
import { UntrustedText } from "../../ui/UntrustedText";

type Payment = Operations["listPayments"]["output"]["payments"][number];

const LATEST = 10;

/** The newest charges, failures and refunds, and all of them as a file. They are read on demand, like the outlook. */
export function LatestPaymentsCard({ address }: { address: Address }) {
  const { dueday } = useDueday();
  const [isOpen, setOpen] = useState(false);
  return (
    <Card
      title="Latest payments"
      aside={<CsvButton name={`payments-${address.slice(0, 10)}`} read={() => dueday.csv.listPayments({ address })} />}
      flush
    >
      {isOpen ? (
        <LatestPayments address={address} />
      ) : (
        <Inset>
          <Button onClick={() => setOpen(true)}>Show the latest payments</Button>
        </Inset>
      )}
    </Card>
  );
}

function LatestPayments({ address }: { address: Address }) {
  const query = useDuedayQuery("listPayments", { address, first: LATEST });
  return (
    <Answer query={query} label="the payments" lines={6}>
      {({ payments, asOf }) =>
        payments.length === 0 ? (
          <Empty title="No payments yet">Each charge, failure and refund is listed here.</Empty>
        ) : (
          <>
            <DataTable
              label="Charges, failures and refunds"
              columns={COLUMNS}
              rows={payments}
              rowKey={({ blockNumber, logIndex }) => `${blockNumber} ${logIndex}`}
            />
            <Inset>
              <p>
                <Link to="/accounts/$address" params={{ address }} search={{ tab: "statement" }}>
                  Statement between two dates
                </Link>
              </p>
              <SourceLink asOf={asOf} />
            </Inset>
          </>
        )
      }
    </Answer>
  );
}

const KINDS: Readonly<Record<Payment["kind"], string>> = {
  initial: "first charge",
  recurring: "charge",
  failure: "failed",
  refund_to_provider: "fee balance received",
  refund_to_subscriber: "fee balance returned to the subscriber",
};

const COLUMNS: readonly Column<Payment>[] = [
  { key: "date", header: "Date", cell: ({ date }) => (date === null ? "–" : formatDate(date)) },
  {
    key: "plan",
    header: "Plan",
    cell: ({ id, planName }) => (
      <Link to="/subscriptions/$id" params={{ id }}>
        <UntrustedText text={planName} empty={shorten(id)} />
      </Link>
    ),
  },
  {
    key: "subscriber",
    header: "Subscriber",
    cell: ({ subscriber }) => <AddressLabel kind="address" value={subscriber} />,
  },
  { key: "kind", header: "Kind", cell: ({ kind }) => KINDS[kind] },
  {
    key: "net",
    header: "Received",
    align: "end",
    cell: ({ net, tokenSymbol }) => <Amount amount={net} symbol={tokenSymbol} />,
  },
  {
    key: "transaction",
    header: "Transaction",
    cell: ({ transactionHash }) => <AddressLabel kind="tx" value={transactionHash} />,
  },
];
