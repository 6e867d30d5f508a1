import { useAccount } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import type { Address } from "viem";
import { formatNextDue } from "../../format/formatNextDue";
import { ListTable } from "../../lists/ListTable";
import { usePlanNames } from "../../live/usePlanNames";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { Notice } from "../../states/Notice";
import type { Column } from "../../tables/DataTable";
import { termColumns } from "../../tables/termColumns";
import { Badge, type Tone } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { CoverageBadge, describeCoverage, describeHindrance, formatRunway } from "../../ui/CoverageBadge";
import { SellerLabel } from "../../ui/SellerLabel";
import { type AsOf, SourceLink } from "../../ui/SourceLink";
import { cleanText } from "../../ui/UntrustedText";
import { lazyWithWallet } from "../../wallet/lazyWithWallet";
import type { SubscribedRow } from "./subscribedRow";

/** The most subscriptions of an account that one answer lists. */
const MOST = 200;

const RenewCard = lazyWithWallet("your approvals", () => import("./RenewCard").then((module) => module.RenewCard));

/** What an account pays and when, and which of its next payments will fail. */
export function PaymentsCard({ address }: { address: Address }) {
  const query = useAccount({ address, first: MOST });
  const names = usePlanNames(query.data?.subscribedTo.map(({ subscription }) => subscription.id) ?? []);
  return (
    <Answer query={query} label="the account" lines={6}>
      {({ subscribedTo, subscribedToCount, asOf }) => {
        const rows = subscribedTo.toSorted(byNextPayment);
        const failing = rows.filter(willFail);
        return (
          <>
            {failing.length > 0 && (
              <Notice
                tone="bad"
                title={failing.length === 1 ? "A payment will fail" : `${failing.length} payments will fail`}
              >
                A payment that fails ends the subscription. Renew the approval or top up the balance before it is
                charged.
              </Notice>
            )}
            <Card
              title="Payments"
              note={rows.length < subscribedToCount ? `The first ${rows.length} of ${subscribedToCount}.` : undefined}
              footer={<SourceLink asOf={asOf} />}
              flush
            >
              {rows.length === 0 ? (
                <Empty title="No subscriptions">
                  This account has never subscribed. <Link to="/subscriptions">Look at the subscriptions</Link>.
                </Empty>
              ) : (
                <ListTable
                  fileName="payments"
                  label="Payments of this account"
                  columns={columnsOf(asOf, names)}
                  rows={rows}
                  rowKey={({ subscription }) => subscription.id}
                />
              )}
            </Card>
            <RenewCard address={address} rows={rows.filter(({ nextDueDate }) => nextDueDate !== null)} names={names} />
          </>
        );
      }}
    </Answer>
  );
}

function columnsOf(asOf: AsOf, names: ReturnType<typeof usePlanNames>): readonly Column<SubscribedRow>[] {
  return [
    ...termColumns(names),
    {
      key: "seller",
      header: "Seller",
      values: { Seller: ({ subscription: { id } }) => cleanText(names.get(id)?.seller.name ?? "") },
      cell: ({ subscription: { id, provider } }) => <SellerLabel address={provider} seller={names.get(id)?.seller} />,
    },
    {
      key: "next",
      header: "Next payment",
      values: { "Next payment": ({ nextDueDate }) => nextDueDate ?? "none" },
      cell: ({ nextDueDate }) => (nextDueDate === null ? "none" : formatNextDue(nextDueDate, asOf)),
    },
    {
      key: "outlook",
      header: "Outlook",
      values: { Outlook: (row) => outlookOf(row)[0] },
      cell: (row) => <Outlook row={row} />,
    },
    {
      key: "runway",
      header: "Payments covered",
      align: "end",
      values: { "Payments covered": ({ coveredPayments }) => String(coveredPayments) },
      order: ({ coveredPayments }) => coveredPayments,
      cell: ({ nextDueDate, coveredPayments }) => (nextDueDate === null ? "–" : formatRunway(coveredPayments)),
    },
  ];
}

const ended = ["active", "cancelled", "unsubscribed"] as const;

function Outlook({ row }: { row: SubscribedRow }) {
  const [words, tone] = outlookOf(row);
  return tone === null ? <CoverageBadge {...row} /> : <Badge tone={tone}>{words}</Badge>;
}

/** Text and tone of a row's badge. The tone is null where the coverage decides it. */
function outlookOf(row: SubscribedRow): [words: string, tone: Tone | null] {
  const { subscription, status, hindrance } = row;
  if (subscription.cancelled) return ["cancelled by its provider", "bad"];
  if (status !== 0) return [ended[status] ?? "ended", "neutral"];
  const hindered = describeHindrance(hindrance);
  return hindered === null ? [describeCoverage(row), null] : [hindered, "warn"];
}

function willFail({ nextDueDate, coveredPayments }: SubscribedRow): boolean {
  return nextDueDate !== null && coveredPayments === 0;
}

/** Orders the next payment first, and ended subscriptions last. */
function byNextPayment(a: SubscribedRow, b: SubscribedRow): number {
  return (a.nextDueDate ?? "9999").localeCompare(b.nextDueDate ?? "9999");
}
