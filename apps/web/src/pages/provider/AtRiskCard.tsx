import type { DuedayEvent } from "@dueday/sdk";
import { useDueday, useReadiness } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import { formatDate } from "../../format/formatDate";
import { PageControls } from "../../lists/PageControls";
import { usePages } from "../../live/usePages";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import { AddressLabel, shorten } from "../../ui/AddressLabel";
import { Amount } from "../../ui/Amount";
import { Badge } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { type Column, DataTable } from "../../ui/DataTable";
import { TimeAgo } from "../../ui/TimeLabel";
import { atRiskOf, type WillFail } from "./atRiskOf";
import { readEvents } from "./readEvents";

/** Without `payment.paid`, of which a provider has most: what is paid is of a day that is closed soon. */
const TYPES = ["payment.will_fail", "payment.failed", "subscription.unsubscribed", "event.retracted"] as const;

/** Subscribers whose next payment will fail within a week, as the service has forecast it. */
export function AtRiskCard({ address }: { address: string }) {
  const { dueday } = useDueday();
  // The frame has asked for it already.
  const firstOpenDay = useReadiness().data?.nextUncheckedDay ?? 0;
  const { query, hasNews, renew } = usePages({
    name: "listEvents",
    input: { provider: address, types: TYPES },
    read: (cursor, options) =>
      readEvents(dueday, { provider: address, types: [...TYPES] }, cursor === null ? null : Number(cursor), options),
    next: ({ hasMore, nextAfter }) => (hasMore ? String(nextAfter) : null),
  });
  return (
    <Answer query={query} label="the forecast failures" lines={6}>
      {({ pages }) => {
        const events: readonly DuedayEvent[] = pages.flatMap((page) => page.events);
        const rows = atRiskOf(events, firstOpenDay);
        return (
          <>
            <Card
              title="At risk"
              note="A payment that fails ends the subscription. The subscriber can renew its approval or top up its balance before."
              flush
            >
              {rows.length === 0 && query.hasNextPage ? (
                <Empty title="None among the events that were read">
                  The newest events are still to be read: load more to see who is at risk now.
                </Empty>
              ) : rows.length === 0 ? (
                <Empty title="No failure is forecast">
                  The service forecasts the payments that are due within a week, every hour and after each remit(). The
                  subscribers of a subscription have their runway on its page.
                </Empty>
              ) : (
                <DataTable
                  label="Subscribers at risk"
                  columns={columns}
                  rows={rows}
                  rowKey={({ seq }) => String(seq)}
                />
              )}
            </Card>
            {query.hasNextPage && (
              <PageControls query={query} hasNews={hasNews} renew={renew} shown={rows.length} count={null} />
            )}
          </>
        );
      }}
    </Answer>
  );
}

const columns: readonly Column<WillFail>[] = [
  {
    key: "subscriber",
    header: "Subscriber",
    cell: ({ data }) => <AddressLabel value={data.subscriber} kind="address" />,
  },
  {
    key: "subscription",
    header: "Subscription",
    cell: ({ data }) => (
      <Link to="/subscriptions/$id" params={{ id: data.id }}>
        <code>{shorten(data.id)}</code>
      </Link>
    ),
  },
  {
    key: "due",
    header: "Due",
    cell: ({ data }) => (data.dueDate === null ? `day ${data.dayNumber}` : formatDate(data.dueDate)),
  },
  {
    key: "why",
    header: "Why",
    cell: ({ data }) => (
      <Badge tone="bad">{data.outcome === "fails_balance" ? "balance too low" : "allowance too low"}</Badge>
    ),
  },
  {
    key: "shortfall",
    header: "Shortfall",
    align: "end",
    cell: ({ data }) => <Amount amount={data.shortfall.amount} symbol={data.tokenSymbol} />,
  },
  {
    key: "since",
    header: "Forecast",
    cell: ({ block }) => <TimeAgo seconds={block.timestamp} />,
  },
];
