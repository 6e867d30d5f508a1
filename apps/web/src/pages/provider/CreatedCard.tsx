import type { Operations } from "@dueday/sdk";
import { useAccount } from "@dueday/sdk/react";
import { Link } from "@tanstack/react-router";
import type { Address } from "viem";
import { countOf } from "../../format/describeDays";
import { formatInteger } from "../../format/formatAmount";
import { formatNextDue } from "../../format/formatNextDue";
import { ListTable } from "../../lists/ListTable";
import { usePlanNames } from "../../live/usePlanNames";
import { Answer } from "../../states/Answer";
import { Empty } from "../../states/Empty";
import type { Column } from "../../tables/DataTable";
import { termColumns } from "../../tables/termColumns";
import { Badge } from "../../ui/Badge";
import { Card } from "../../ui/Card";
import { type AsOf, SourceLink } from "../../ui/SourceLink";
import { shorten } from "../../ui/shorten";
import { cleanText } from "../../ui/UntrustedText";

type Row = Operations["getAccount"]["output"]["created"][number];

const MOST = 200;

/** The subscriptions that a provider has created, with how many pay for each. */
export function CreatedCard({ address }: { address: Address }) {
  const query = useAccount({ address, first: MOST });
  const ids = query.data?.created.map(({ subscription }) => subscription.id) ?? [];
  const names = usePlanNames(ids, query.isPending ? undefined : address);
  return (
    <Answer query={query} label="the subscriptions" lines={6}>
      {({ created, createdCount, asOf }) => {
        const open = created.filter(({ subscription }) => !subscription.cancelled);
        return (
          <Card
            title="Subscriptions"
            note={created.length < createdCount ? `The first ${created.length} of ${createdCount}.` : undefined}
            footer={<SourceLink asOf={asOf} />}
            flush
          >
            {created.length === 0 ? (
              <Empty title="No subscriptions yet">
                <Link to="/sell">Create the first one</Link>
              </Empty>
            ) : (
              <ListTable
                fileName="plans"
                label="Subscriptions of this provider"
                columns={columnsOf(asOf, names)}
                rows={created}
                rowKey={({ subscription }) => subscription.id}
                totals={{
                  id: `${created.length < createdCount ? "Listed" : "All"}${open.length < created.length ? " that are not cancelled" : ""}`,
                  subscribers: formatInteger(open.reduce((sum, { totalSubscribers }) => sum + totalSubscribers, 0)),
                }}
              />
            )}
          </Card>
        );
      }}
    </Answer>
  );
}

function columnsOf(asOf: AsOf, names: ReturnType<typeof usePlanNames>): readonly Column<Row>[] {
  return [
    ...termColumns(names),
    {
      key: "next",
      header: "Next payments",
      values: {
        "Next payments": ({ subscription: { cancelled }, nextDueDate }) =>
          cancelled ? "cancelled" : (nextDueDate ?? "none"),
      },
      cell: ({ subscription: { cancelled }, nextDueDate }) =>
        cancelled ? (
          <Badge tone="bad">cancelled</Badge>
        ) : nextDueDate === null ? (
          "none"
        ) : (
          formatNextDue(nextDueDate, asOf)
        ),
    },
    {
      key: "subscribers",
      header: "Subscribers",
      values: { Subscribers: ({ totalSubscribers }) => String(totalSubscribers) },
      order: ({ totalSubscribers }) => totalSubscribers,
      align: "end",
      cell: ({ subscription: { id }, totalSubscribers }) => (
        <Link
          to="/subscriptions/$id"
          params={{ id }}
          search={{ tab: "subscribers" }}
          aria-label={`${countOf(totalSubscribers, "subscriber")} of ${cleanText(names.get(id)?.planName ?? shorten(id))}`}
        >
          {formatInteger(totalSubscribers)}
        </Link>
      ),
    },
  ];
}
